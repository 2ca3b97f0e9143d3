#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzz targets: fuzz.sh FOLDER MINUTES [TARGET...], each for so many minutes, and says how many inputs it survived.
set -euo pipefail
folder="$1" minutes="$2"
shift 2
source_folder="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
  for target in "$folder"/fuzz_*; do [[ -x "$target" && -f "$target" ]] && targets+=("$(basename "$target" | sed s/^fuzz_//)"); done
fi

# The first inputs: files of this repository.
seeds() {
  mkdir -p "$folder/seeds/$1"
  case "$1" in
    model) find "$source_folder/examples" -name '*.orr' -size -20k -exec cp {} "$folder/seeds/$1" \; ;;
    oml) find "$source_folder/tests/oml" -name '*.oml' -size -20k -exec cp {} "$folder/seeds/$1" \; ;;
    csv) printf 'time,x,"a,b"\n0,1,2\n0.5,nan,-1e3\n' > "$folder/seeds/$1/table.csv" ;;
    *) python3 "$source_folder/tools/fuzz_seeds.py" "$1" "$folder/seeds/$1" ;;
  esac
}

failed=0
for target in "${targets[@]}"; do
  mkdir -p "$folder/corpus/$target" "$folder/crashes/$target"
  seeds "$target"
  log="$folder/$target.log"
  code=0
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 "$folder/fuzz_$target" \
    "$folder/corpus/$target" "$folder/seeds/$target" -max_total_time=$((minutes * 60)) -timeout=20 -rss_limit_mb=3000 \
    -max_len=20000 -print_final_stats=1 -verbosity=0 -artifact_prefix="$folder/crashes/$target/" > "$log" 2>&1 || code=$?
  inputs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)"
  if [[ $code -eq 0 ]]; then
    echo "$target: ${inputs:-0} inputs, no crash, hang or blow-up"
  else
    echo "$target: failed after ${inputs:-?} inputs, see $log and $folder/crashes/$target" >&2
    failed=1
  fi
done
exit $failed
