#!/usr/bin/env bash
# Makes the reference of the public headers, as HTML. Names each undocumented member and each broken
# reference, and ends with an error if there is one.
#
# usage: tools/make_api.sh [FOLDER]
#
# Overwrites FOLDER (default: build/api).
set -euo pipefail
folder=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../build/api"}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p "$folder"
{
  cat docs/Doxyfile
  sed -n 's,^tandem/.*,INPUT += src/&,p' cmake/public_headers.txt
  printf 'OUTPUT_DIRECTORY = "%s"\nHTML_OUTPUT = .\n' "$folder"
} | doxygen -
