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

# What fmi2DoStep costs beyond the body.
cat > "$folder/lag.orr" <<'X'
{"orrery": 1, "name": "lag", "simulation": {"stop": "1e6", "solver": "rk4", "step": "1/1024"},
 "blocks": [{"name": "u", "type": "Input"}, {"name": "E", "type": "Sum", "parameters": {"signs": "'+-'"}},
            {"name": "X", "type": "Integral"}, {"name": "y", "type": "Output"}],
 "links": [{"from": "u:1", "to": ["E:1"]}, {"from": "E:1", "to": ["X:1"]}, {"from": "X:1", "to": ["E:2", "y:1"]}]}
X
"$orrery" export fmu "$folder/lag.orr" --kind cs --no-binary --quiet --out "$folder/lag.fmu"
(cd "$folder" && python3 -m zipfile -e lag.fmu lag)
token="$(sed -n 's/.*guid="\([^"]*\)".*/\1/p' "$folder/lag/modelDescription.xml")"
cc -D_POSIX_C_SOURCE=200809L -std=c99 -O2 "${bits[@]}" -I"$folder/lag/sources" -o "$folder/step" \
  "$here/exported/fmu_step.c" "$folder"/lag/sources/*.c -lm
"$folder/step" "$token"
