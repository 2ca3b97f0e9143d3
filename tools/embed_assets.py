#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes an assembler file that puts all files of a folder, gzipped, into the executable (src/server/assets.h)."""

import gzip
import sys
from pathlib import Path


def main():
    folder, out = sys.argv[1], Path(sys.argv[2])
    files = [] if folder == "--none" else sorted(p for p in Path(folder).rglob("*") if p.is_file())
    lines = [
        "# Made by tools/embed_assets.py.",
        '  .section .note.GNU-stack,"",@progbits',
        '  .section .rodata,"a",@progbits',
    ]
    out.parent.mkdir(parents=True, exist_ok=True)
    packed = out.parent / "assets"
    packed.mkdir(exist_ok=True)
    for number, path in enumerate(files):
        target = packed / f"{number}.gz"
        target.write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
        name = path.relative_to(folder).as_posix()
        lines += [f'asset_name_{number}: .asciz "{name}"', f"asset_begin_{number}: .incbin \"{target}\"", f"asset_end_{number}:"]
    lines += [
        '  .section .data.rel.ro,"aw",@progbits',
        "  .balign 8",
        "  .globl orrery_assets",
        "  .globl orrery_asset_count",
        "orrery_assets:",
    ]
    for number in range(len(files)):
        lines.append(f"  .quad asset_name_{number}, asset_begin_{number}, asset_end_{number}")
    lines += ["  .quad 0, 0, 0", "orrery_asset_count:", f"  .quad {len(files)}", ""]
    out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
