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
  echo "The diagrams of all examples, drawn by \`orrery picture\` ([pictures.md](pictures.md)), and the plots of the book's models, by"
  echo "\`orrery run --plot\`; \`tools/gallery.sh\` makes this page."
} >"$page"
about() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get("about", ""))' "$1"; }
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
  if [[ "$name" == book/* ]]; then
    plot="${folder}/$(basename "$name" .orr).plot"
    "$orrery" run "$model" --allow all --quiet --plot "$plot.svg"
    rsvg-convert --width 420 "$plot.svg" --output "$plot.png"
    rm "$plot.svg"
    printf '\n![plot of %s](%s)\n' "$(basename "$name" .orr)" "${plot#docs/}.png" >>"$page"
  fi
done
