#!/usr/bin/env bash
# Runs a Python script with the packages of requirements.txt, in a virtual environment made on first use.
# usage: in_venv.sh FOLDER_OF_THE_ENVIRONMENT SCRIPT [ARGUMENT...]
# Ends with 77 where the packages cannot be had.
set -euo pipefail
environment=$1
script=$2
shift 2
requirements=$(dirname "${BASH_SOURCE[0]}")/requirements.txt

skip() {
  echo "NOT TESTED: $1" >&2
  exit 77
}

if ! cmp -s "$requirements" "$environment/installed.txt"; then
  rm -rf "$environment"
  python3 -m venv "$environment" || skip "python3 makes no virtual environment; install python3-venv"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
    --timeout 20 --retries 1 --requirement "$requirements" ||
    skip "the packages of $requirements cannot be installed here; is there a network?"
  cp "$requirements" "$environment/installed.txt"
fi
exec "$environment/bin/python" "$script" "$@"
