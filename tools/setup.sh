#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches all that the build needs, so that nothing later touches the network: Debian 12 packages and SUNDIALS
# (tools/sundials.sh). With the argument "lint", "check", "fuzz", "test" or "arm", also what `make lint`, `make check`,
# `make fuzz` or `make test` need, or its test on ARM; with "cluster" what sweeps past one machine do.
set -euo pipefail

packages=(
  build-essential cmake ninja-build pkg-config python3   # build
  dpkg-dev xz-utils file                                 # unpacking the SUNDIALS source package; packages
  libfmt-dev nlohmann-json3-dev libcli11-dev libedit-dev             # text, JSON, command line
  libtcc-dev                                             # in-memory C compiler
  libeigen3-dev libopenblas-dev liblapacke-dev           # dense linear algebra
  libsuitesparse-dev                                     # sparse linear algebra (KLU)
  libpugixml-dev libzip-dev zlib1g-dev                   # FMUs: XML, archives; the page of the editor
  libmatio-dev libnlopt-dev                              # OML: MAT files, optimisation
  libpcre2-dev libboost-math-dev libboost-dev libqhull-dev  # OML: regular expressions, special functions, hulls
  libxxhash-dev                                          # names of cached code
  libhdf5-dev                                            # results as HDF5
  librsvg2-bin fonts-inter                               # pictures as PNG
  libgtest-dev                                           # tests
)
case "${1:-}" in
  test) packages+=(python3-numpy python3-setuptools python3-wheel) ;;        # exported Python packages
  arm) packages+=(gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-user) ;;    # exported C on a small machine (1 GB)
  lint) packages+=(clang-format) ;;
  check) packages+=(clang-format clang-tidy) ;;
  fuzz) packages+=(clang) ;;
  cluster) packages+=(openmpi-bin libopenmpi-dev slurm-wlm) ;;  # sweeps with --mpi and --slurm, and their tests
esac

# The page of the editor, unless it is not wanted; another vendor's Node brings its own npm, which Debian's conflicts with.
page=1
if [[ "${1:-}" == lint || "${OPTIONS:-}" == *ORRERY_WEB=OFF* ]]; then page=0; fi
if [[ $page == 1 ]] && ! command -v npm >/dev/null; then packages+=(nodejs npm); fi
# A browser for the scenarios of the editor; any other can be named by ORRERY_CHROMIUM.
if [[ $page == 1 && "${1:-}" == test && ! -e "${ORRERY_CHROMIUM:-/usr/bin/chromium}" ]]; then packages+=(chromium); fi

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this is not a Debian system; the build needs what these packages hold: ${packages[*]}" >&2
  exit 0
fi

installed="$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)"
missing=()
for package in "${packages[@]}"; do
  grep -qxF "installed $package" <<<"$installed" || missing+=("$package")
done
if [[ ${#missing[@]} -gt 0 ]]; then
  echo "setup: installing ${missing[*]}" >&2
  as_root=()
  if [[ "$(id -u)" != 0 ]]; then as_root=(sudo); fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if [[ "${1:-}" != lint ]]; then "$(dirname "${BASH_SOURCE[0]}")/sundials.sh" --daily >/dev/null; fi
if [[ $page == 1 ]]; then
  cd "$(dirname "${BASH_SOURCE[0]}")/../web"
  if [[ ! -e node_modules/.package-lock.json || package-lock.json -nt node_modules/.package-lock.json ]]; then
    echo "setup: fetching the packages of the editor's page" >&2
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
    touch node_modules/.package-lock.json
  fi
fi
