#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds optimised static SUNDIALS from Debian's source package, once, into a cache; prints where it is installed.
# With the argument --find it only looks: it prints the prefix, or fails when nothing has been built yet. With --daily it
# does not try again for a day after it failed and the system's package took its place.
#
# Debian's own SUNDIALS binaries are compiled without optimisation and are several times slower.
# The last line of standard output is the prefix; everything else goes to standard error.
#   ORRERY_CACHE                where to keep the result (default: $XDG_CACHE_HOME/orrery or ~/.cache/orrery)
#   ORRERY_SUNDIALS_SOURCE=no   do not fetch sources: use the package libsundials-dev
set -euo pipefail

version=6.4.1
cflags="-O2 -DNDEBUG -fPIC -fvisibility=hidden -ffp-contract=off -w"
options=(
  -DCMAKE_BUILD_TYPE=None
  -DBUILD_STATIC_LIBS=ON -DBUILD_SHARED_LIBS=OFF
  -DBUILD_CVODE=ON -DBUILD_IDA=ON -DBUILD_ARKODE=OFF -DBUILD_KINSOL=OFF
  -DBUILD_CVODES=OFF -DBUILD_IDAS=OFF
  -DBUILD_FORTRAN_MODULE_INTERFACE=OFF -DENABLE_MPI=OFF -DENABLE_OPENMP=OFF
  -DEXAMPLES_ENABLE_C=OFF -DEXAMPLES_ENABLE_CXX=OFF -DEXAMPLES_INSTALL=OFF
  -DSUNDIALS_PRECISION=double -DSUNDIALS_INDEX_SIZE=32 -DSUNDIALS_LOGGING_LEVEL=0
  -DENABLE_KLU=ON -DKLU_INCLUDE_DIR=/usr/include/suitesparse
  -DCMAKE_INSTALL_LIBDIR=lib
)

say() { echo "sundials: $*" >&2; }

cache="${ORRERY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/orrery}"
compiler="${CC:-cc}"
key="$( (echo "$version $cflags ${options[*]}"; "$compiler" -dumpfullversion -dumpmachine) | sha256sum | cut -c1-12)"
prefix="$cache/sundials-$version-$key"

if [[ -d "$prefix" && "${ORRERY_SUNDIALS_SOURCE:-yes}" != no ]]; then
  echo "$prefix"
  exit 0
fi
if [[ "${1:-}" == --find ]]; then exit 1; fi
failed="$prefix.failed"
if [[ "${1:-}" == --daily && -n "$(find "$failed" -mmin -1440 2>/dev/null)" ]]; then
  echo /usr
  exit 0
fi

# Copies the distribution's own entries of the configured package sources, as source entries, to folder $1.
# Other vendors' lists are left out: they do not carry SUNDIALS and may not be reachable.
copy_source_entries() {
  local codename
  codename="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
  local file
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ -e "$file" ]] || continue
    awk -v RS= -v suite="$codename" '
      /debian-archive-keyring/ || FILENAME ~ /\/debian\.sources$/ {
        if ($0 ~ suite) { gsub(/(^|\n)Types:[^\n]*/, "\nTypes: deb-src"); print $0 "\n" }
      }' "$file"
  done > "$1/distribution.sources"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian*.list; do
    [[ -e "$file" ]] || continue
    sed -n -E "/^deb[[:space:]].*[[:space:]]$codename(-updates|-security)?[[:space:]]/s/^deb/deb-src/p" "$file"
  done > "$1/distribution.list"
}

# Downloads the verified upstream tarball of the source package to folder $1, without changing apt's own state.
fetch() {
  [[ "${ORRERY_SUNDIALS_SOURCE:-yes}" != no ]] || return 1
  command -v apt-get >/dev/null || return 1
  mkdir -p "$1/parts" "$1/lists/partial" "$1/archives/partial"
  copy_source_entries "$1/parts"
  local apt=(apt-get -q
    -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$1/parts"
    -o "Dir::State::Lists=$1/lists" -o "Dir::Cache=$1" -o APT::Sandbox::User=root)
  (cd "$1" && "${apt[@]}" update && "${apt[@]}" source --download-only sundials) || return 1
  compgen -G "$1/sundials_$version*.orig.tar.*" >/dev/null
}

# Unpacks, builds and installs what fetch left in folder $1. Steps are chained: errexit is off inside a condition.
build() {
  local generator=()
  if command -v ninja >/dev/null; then generator=(-G Ninja); fi
  mkdir -p "$1/source" &&
    tar -xf "$1/sundials_$version"*.orig.tar.?z* -C "$1/source" --strip-components=1 &&
    cmake -S "$1/source" -B "$1/build" "${generator[@]}" "${options[@]}" \
      -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$cflags" -DCMAKE_INSTALL_PREFIX="$prefix" \
      -DKLU_LIBRARY_DIR="/usr/lib/$("$compiler" -print-multiarch)" &&
    cmake --build "$1/build" --parallel "$(nproc)" &&
    DESTDIR="$1/stage" cmake --install "$1/build" &&
    mv -T "$1/stage$prefix" "$prefix"
}

# Installs the distribution's binaries where that is still needed.
use_package() {
  if ! dpkg-query -W -f '${Status}' libsundials-dev 2>/dev/null | grep -q 'ok installed'; then
    local as_root=()
    if [[ "$(id -u)" != 0 ]]; then as_root=(sudo); fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends libsundials-dev >"$work/log" 2>&1 || {
      tail -n 15 "$work/log" >&2
      say "error: libsundials-dev cannot be installed either; give CMake your own: -DORRERY_SUNDIALS=PREFIX"
      exit 1
    }
  fi
}

mkdir -p "$cache"
exec 9>"$cache/sundials.lock"
flock 9  # two builds started together share one result
if [[ -d "$prefix" && "${ORRERY_SUNDIALS_SOURCE:-yes}" != no ]]; then
  echo "$prefix"
  exit 0
fi

work="$(mktemp -d "$cache/sundials-build.XXXXXX")"
trap 'rm -rf "$work"' EXIT

say "building SUNDIALS $version in $cache (once, about a minute)"
if fetch "$work" >"$work/log" 2>&1 && build "$work" >>"$work/log" 2>&1; then
  echo "$prefix"
  exit 0
fi
tail -n 15 "$work/log" >&2
say "warning: the optimised build failed (see above); using the slower package libsundials-dev"
use_package
touch "$failed"
echo /usr
