#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Exported C beside C written by hand on the models a1 to c2: bench/exported.sh [build/orrery]
set -euo pipefail
orrery="$(realpath "${1:-build/orrery}")"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
c++ -std=c++20 -O0 -o "$folder/models" "$here/exported/models.cpp" "$here/diagrams.cpp" -lfmt
"$folder/models" "$folder"
for name in a1 a2 a3 b1 b2 b3 c1 c2; do
  "$orrery" export c "$folder/$name.orr" --name "$name" --no-main --quiet --out "$folder"
done
bits=(-ffp-contract=off -fno-builtin -fno-math-errno -fno-strict-aliasing -fwrapv)
(cd "$folder" && cc -std=c99 -O2 "${bits[@]}" -c ./*.c)
cc -D_POSIX_C_SOURCE=200809L -std=c99 -O2 -ffp-contract=off -I"$folder" -I"$here" -o "$folder/compare" \
  "$here/exported/compare.c" "$here/reference_models.c" "$here/reference_dp5.c" "$folder"/*.o -lm
"$folder/compare"
