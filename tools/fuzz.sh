#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzz targets: fuzz.sh FOLDER MINUTES [TARGET...], each for so many minutes, or for INPUTS inputs where that
# variable is set, and says how many inputs it survived, how fast, and the most memory.
set -euo pipefail
folder="$(realpath "$1")" minutes="$2"
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
    model | compile | picture) find "$source_folder/examples" -name '*.orr' -size -20k -exec cp {} "$folder/seeds/$1" \; ;;
    cssl) for letter in 0:csl 1:drp 2:des 3:csmp; do
        for program in "$source_folder"/examples/cssl/*."${letter#*:}"; do
          { printf '%b' "\\x0${letter%:*}"; cat "$program"; } > "$folder/seeds/$1/$(basename "$program")"
        done
      done ;;
    oml) find "$source_folder/tests/oml" -name '*.oml' -size -20k -exec cp {} "$folder/seeds/$1" \; ;;
    specification) cp "$source_folder"/examples/optimise/*.opt "$folder/seeds/$1" ;;
    csv | inputs) printf 'time,x,"a,b"\n0,1,2\n0.5,nan,-1e3\n' > "$folder/seeds/$1/table.csv"
      printf 'time,u,a,i,b,s,y,e,p,c\n0,1,1 2 3,4,true,x,ff,one,1,0\n1,2,1 2 3,-5,false,"a,b",00,2,2,1\n' > "$folder/seeds/$1/all.csv" ;;
    merge)
      cd "$source_folder/examples"
      for model in bouncing_ball queue sampled_controller; do
        { cat "$model.orr"; printf '====\n'; sed 's/"1"/"2"/' "$model.orr"; printf '====\n'; sed 's/"name": "/&x/' "$model.orr"; } > "$folder/seeds/$1/$model"
      done
      cd "$OLDPWD" ;;
    shared_library)
      echo 'int f(void) { return 1; }' > "$folder/seeds/library.c"
      cc -shared -nostdlib -fPIC -s -Wl,--hash-style=gnu -o "$folder/seeds/$1/small.so" "$folder/seeds/library.c"
      cc -shared -fPIC -s -Wl,-z,execstack,-rpath,/nowhere -o "$folder/seeds/$1/large.so" "$folder/seeds/library.c" ;;
    *) python3 "$source_folder/tools/fuzz_seeds.py" "$1" "$folder/seeds/$1" ;;
  esac
}

failed=0
for target in "${targets[@]}"; do
  mkdir -p "$folder/corpus/$target" "$folder/crashes/$target"
  seeds "$target"
  log="$folder/$target.log"
  code=0
  if [[ -n "${PLAIN:-}" ]]; then  # without libFuzzer
    (cd "$folder/crashes/$target" && "$folder/fuzz_$target" "$folder/seeds/$target" "${INPUTS:-1000000}") > "$log" 2>&1 || code=$?
    if [[ $code -eq 0 ]]; then echo "$target: $(tail -1 "$log")"; else echo "$target: failed, see $log and $folder/crashes/$target" >&2; fi
    failed=$((failed | code))
    continue
  fi
  if [[ -n "${INPUTS:-}" ]]; then length=(-runs="$INPUTS"); else length=(-max_total_time=$((minutes * 60))); fi
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 "$folder/fuzz_$target" \
    "$folder/corpus/$target" "$folder/seeds/$target" "${length[@]}" -timeout=20 -rss_limit_mb=3000 \
    -max_len=20000 -print_final_stats=1 -verbosity=0 -artifact_prefix="$folder/crashes/$target/" > "$log" 2>&1 || code=$?
  inputs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)"
  if [[ $code -eq 0 ]]; then
    speed="$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log" | tail -1)" memory="$(sed -n 's/^stat::peak_rss_mb: *//p' "$log" | tail -1)"
    echo "$target: ${inputs:-0} inputs, ${speed:-?} a second, ${memory:-?} MB, no crash, hang or blow-up"
  else
    echo "$target: failed after ${inputs:-?} inputs, see $log and $folder/crashes/$target" >&2
    failed=1
  fi
done
exit $failed
