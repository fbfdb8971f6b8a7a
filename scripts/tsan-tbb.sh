#!/usr/bin/env bash
# tsan-tbb.sh PREFIX: builds oneTBB with ThreadSanitizer into PREFIX, from the source of the installed Debian package.
# Debian's own libtbb is not instrumented: the sanitizer cannot see how it synchronises, and reports false races.
# Exits with 77 if the source cannot be fetched. Needs no root: apt fetches the source with a separate source list, and the
# machine's own lists are not changed.
set -euo pipefail
prefix=$1
jobs=${JOBS:-$(nproc)}
version=$(dpkg-query -W -f '${source:Package}=${source:Version}' libtbb-dev)
if [ -f "$prefix/.version" ] && [ "$(cat "$prefix/.version")" = "$version" ]; then
  exit 0
fi
echo "tsan-tbb: building $version with ThreadSanitizer into $prefix"
rm -rf "$prefix"
mkdir -p "$prefix"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial"
# the mirrors that this machine already uses, as deb-src entries
apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | sort -u |
  while read -r site release component; do
    echo "deb-src $site $release $component"
  done >"$work/sources.list"
own=(-q -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
     -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=" -o APT::Sandbox::User=root -o Acquire::Retries=3)
cd "$work"
if ! apt-get "${own[@]}" update </dev/null || ! apt-get "${own[@]}" source --download-only "$version" </dev/null; then
  echo "tsan-tbb: apt could not fetch the source of $version" >&2
  exit 77
fi
mkdir source
tar -xf ./*.orig.tar.* -C source --strip-components=1
cmake -S source -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=g++ \
  -DCMAKE_CXX_FLAGS="-fsanitize=thread -g1 -w" -DCMAKE_INSTALL_PREFIX="$prefix" -DTBB_TEST=OFF -DTBB_STRICT=OFF \
  -DTBBMALLOC_BUILD=OFF -DCMAKE_INSTALL_LIBDIR=lib
cmake --build build --parallel "$jobs"
cmake --install build
echo "$version" >"$prefix/.version"
