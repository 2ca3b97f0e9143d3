#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Completion and manual page, as the program prints them: completion_test.sh PROGRAM
set -euo pipefail
program="$1"
failed=0

source <("$program" completion bash)
compopt() { :; }  # bash has it only while it completes

# expect WORDS... -- OFFERED...: what is offered for the last of the words.
expect() {
  COMP_WORDS=()
  while [[ "$1" != -- ]]; do COMP_WORDS+=("$1"); shift; done
  shift
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _orrery || true  # nothing to offer is no failure
  if [[ "${COMPREPLY[*]}" != "$*" ]]; then
    echo "${COMP_WORDS[*]}: offered '${COMPREPLY[*]}', not '$*'" >&2
    failed=1
  fi
}

expect orrery ru -- run
expect orrery show sch -- schedule
expect orrery run --explain -- --explain-loops --explain-start
expect orrery run --tier "" -- first second auto
expect orrery run model.orr --diagnostics j -- json
expect orrery run --stop "" --
expect orrery check --explain -- --explain-start
expect orrery fmu r -- replay

# Every command that the help names has a section of the manual page, every option of run a paragraph.
manual="$("$program" manual)"
for command in run check show fmt fmu oml trust completion manual version; do
  grep -qF ".SS \\fBorrery $command\\fR" <<<"$manual" || { echo "the manual page lacks $command" >&2; failed=1; }
done
for option in $("$program" run --help | grep -oE '^ +(-h,)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
  grep -qF -- "${option//-/\\-}" <<<"$manual" || { echo "the manual page lacks $option" >&2; failed=1; }
done
if command -v groff >/dev/null; then
  problems="$(groff -man -Tutf8 -ww -z <<<"$manual" 2>&1)"
  if [[ -n "$problems" ]]; then echo "$problems" >&2; failed=1; fi
fi
if command -v zsh >/dev/null; then zsh -n <("$program" completion zsh) || failed=1; fi
exit $failed
