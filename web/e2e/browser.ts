// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium without a window, the way the tests start it.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

export const browserPath = process.env['ORRERY_CHROMIUM'] ?? '/usr/bin/chromium';

export function startBrowser(
  options: { dark?: boolean; width?: number; height?: number } = {},
): Promise<BrowserContext> {
  return chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), 'orrery-browser-')), {
    executablePath: browserPath,
    headless: true,
    timeout: 120000,
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'], // prettier-ignore
  });
}
