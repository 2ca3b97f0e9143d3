// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium without a window, the way the tests start it: once for each file, with a profile of its own for each scenario.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

export const browserPath = process.env['ORRERY_CHROMIUM'] ?? '/usr/bin/chromium';
export const haveBrowser = existsSync(browserPath);

let browser: Promise<Browser> | null = null;
// ORRERY_BROWSER is the address of one that runs already (chromium --headless --remote-debugging-port=…).
const running = process.env['ORRERY_BROWSER'];
const launch = () =>
  running
    ? chromium.connectOverCDP(running)
    : chromium.launch({
        executablePath: browserPath,
        headless: true,
        timeout: 120000,
        args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'], // prettier-ignore
      });
export async function stopBrowser() {
  await (await browser)?.close();
  browser = null;
}

export async function startBrowser(
  options: { dark?: boolean; width?: number; height?: number } = {},
): Promise<BrowserContext> {
  browser ??= launch();
  return (await browser).newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    reducedMotion: 'reduce', // colours are judged when they have arrived
    colorScheme: options.dark ? 'dark' : 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
  });
}
