#!/usr/bin/env bash
# Prints the C++ sources of the tree, NUL-separated, for clang-format.
set -euo pipefail
cd "$(dirname "$0")/.."
for folder in include tests examples bench cmake; do
  [ ! -d "$folder" ] || find "$folder" -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' \) -print0
done | sort -z
