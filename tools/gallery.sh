#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Draws all examples and writes docs/gallery.md: tools/gallery.sh [PROGRAM]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
orrery="${1:-build/orrery}"
page=docs/gallery.md
rm -rf docs/pictures/gallery
mkdir -p docs/pictures/gallery
{
  echo "# Gallery"
  echo
  echo "The diagrams of all examples, drawn by \`orrery picture\` ([pictures.md](pictures.md)), and the plots of the book's models and of"
  echo "programs in the classic languages, by \`orrery run --plot\`; \`tools/gallery.sh\` makes this page."
} >"$page"
about() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get("about", ""))' "$1"; }
# What a model shows when it runs: add_plot MODEL FILE, without extension.
add_plot() {
  "$orrery" run "$1" --allow all --quiet --plot "$2.svg" >/dev/null
  rsvg-convert --width 420 "$2.svg" --output "$2.png"
  rm "$2.svg"
  printf '\n![plot of %s](%s)\n' "$(basename "$1")" "${2#docs/}.png" >>"$page"
}
for model in examples/*.orr examples/*/*.orr; do
  name="${model#examples/}"
  folder="docs/pictures/gallery/$(dirname "$name")"; folder="${folder%/.}"
  {
    echo
    echo "## [${name}](../${model})"
    echo
    about "$model"
  } >>"$page"
  "$orrery" picture "$model" --all "$folder" | while read -r file; do
    printf '\n![%s](%s)\n' "$(basename "$file" .svg)" "${file#docs/}" >>"$page"
  done
  # What the models of the book show when they run.
  if [[ "$name" == book/* ]]; then add_plot "$model" "${folder}/$(basename "$name" .orr).plot"; fi
done
# Programs of the classic languages have no diagram: what they compute.
for program in examples/cssl/*.{csl,csmp,des,drp}; do
  name="${program#examples/}"
  mkdir -p "docs/pictures/gallery/$(dirname "$name")"
  printf '\n## [%s](../%s)\n' "$name" "$program" >>"$page"
  add_plot "$program" "docs/pictures/gallery/${name}.plot"
done
