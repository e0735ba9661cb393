#!/usr/bin/env bash
# Sets up, builds and runs KokkoSort. ./build.sh help says how.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

packages=(
  build-essential cmake ninja-build git ca-certificates
  python3 python3-venv # to get the sources of Kokkos
  libhdf5-dev libyaml-cpp-dev libfmt-dev libcli11-dev nlohmann-json3-dev libopenblas-dev libeigen3-dev
  libgtest-dev libbenchmark-dev
)

usage() {
  cat <<'TEXT'
./build.sh demo                  builds the program alone, simulates a recording, sorts it and scores the sorting
./build.sh test [PRESET]         builds, then runs all tests
./build.sh build [PRESET]        builds: openmp (default), serial-debug, cuda, cuda-75, cuda-86, cuda-89, cuda-90, hip;
                                 with sanitizers: asan (addresses, undefined behaviour), tsan (threads; needs the
                                 packages clang and libomp-dev)
./build.sh help                  this text

Further arguments go to CMake, e.g. ./build.sh test -DKOKKOSORT_WERROR=ON
Missing Debian packages are installed where that is allowed (root or sudo without a password). The first build of a
preset also builds Kokkos, into build/deps; delete that folder to begin again.
TEXT
}

install_packages() {
  if ! command -v dpkg-query > /dev/null; then
    echo "Not a Debian system. Needed, by their Debian names: ${packages[*]}" >&2
    return
  fi
  local package missing=()
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local as_root=()
  if ((EUID != 0)); then
    if ! sudo -n true 2> /dev/null; then
      echo "Packages are missing. Run this, then start again:" >&2
      echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
      exit 2
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  "${as_root[@]}" apt-get -qq update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install -y --no-install-recommends "${missing[@]}" > /dev/null
}

build() { # TARGET PRESET [CMAKE ARGUMENT...]
  local target=$1
  shift
  install_packages
  cmake --preset "$@" > /dev/null # what takes long, warnings and errors come on the other stream
  cmake --build --preset "$1" --target "$target"
}

demo() { # PROGRAM
  local folder=results/demo
  echo "1. A recording of 60 s is simulated, 32 channels and 20 neurons (inputs/simulate.yaml)."
  echo
  "$1" simulate inputs/simulate.yaml --overwrite "output.folder=$folder"
  echo
  echo "2. It is sorted (inputs/demo.yaml)."
  echo
  "$1" sort inputs/demo.yaml --overwrite
  echo
  echo "3. The sorting is compared with the neurons that were simulated."
  echo
  "$1" score "$folder/truth.h5" "$folder/sorting.h5"
  cat <<TEXT

Open $PWD/$folder/report.html in a browser to see the units,
or look through them in Phy: phy template-gui $folder/phy/params.py
The sorting itself is $folder/sorting.h5 (HDF5). To sort your own recording, copy inputs/recording.yaml.
TEXT
}

command=${1:-help}
shift || true
case $command in
  demo)
    build kokkosort openmp "$@"
    demo build/openmp/kokkosort
    ;;
  test | build)
    preset=openmp
    if [[ ${1:-} && $1 != -* ]]; then
      preset=$1
      shift
    fi
    build all "$preset" "$@"
    if [[ $command == test ]]; then ctest --preset "$preset" --output-on-failure; fi
    ;;
  help | -h | --help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
