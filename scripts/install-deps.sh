#!/usr/bin/env bash
# install-deps.sh GOAL...   (demo, test, check, check-long, bench, docs, format): installs the Debian packages that the goals
# need and that are missing, and prints which. Does nothing if none is missing or if PLUMBLINE_SKIP_DEPS=1.
set -euo pipefail

# includes g++, cmake and the rest of the toolchain, since a fresh Debian may have only git and make
packages=(g++ cmake ninja-build pkg-config python3 ca-certificates
          libtbb-dev libeigen3-dev libboost-math-dev libstb-dev
          libjpeg62-turbo-dev libturbojpeg0-dev zlib1g-dev
          nlohmann-json3-dev libcli11-dev)
for goal in "$@"; do
  case $goal in
    demo) ;;
    test) packages+=(catch2 librange-v3-dev libglpk-dev python3-markdown memcached libmemcached-dev
                   libcpp-httplib-dev python3-prometheus-client) ;;
    check) packages+=(catch2 librange-v3-dev clang-16 libglpk-dev memcached libmemcached-dev libcpp-httplib-dev
                    python3-prometheus-client clang-format valgrind xz-utils) ;; # xz: for the source of TBB (tsan-tbb.sh)
    check-long) packages+=(chromium chromium-driver python3-selenium) ;;
    bench) packages+=(libbenchmark-dev librange-v3-dev libglpk-dev memcached libmemcached-dev) ;;
    docs) packages=(python3 python3-markdown) ;;
    format) packages=(clang-format) ;;
    *) echo "install-deps: no such goal: $goal" >&2; exit 2 ;;
  esac
done

if [ "${PLUMBLINE_SKIP_DEPS:-}" = 1 ]; then
  exit 0
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-deps: this is not a Debian-like system, so nothing is installed. It needs the equivalents of:" >&2
  echo "  ${packages[*]}" >&2
  exit 0 # CMake reports what is missing
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
echo "install-deps: installing ${missing[*]}"

as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    as_root=(false)
  elif [ -t 0 ]; then
    as_root=(sudo)
  else
    as_root=(sudo -n) # not a terminal: a password cannot be typed
  fi
  if ! "${as_root[@]}" true; then
    echo "install-deps: this needs root, and sudo is not available. As root, run" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    echo "and then run make again (PLUMBLINE_SKIP_DEPS=1 skips this step)." >&2
    exit 1
  fi
fi

apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null
}
install() { apt install --no-install-recommends "${missing[@]}"; }
# The package lists of a fresh image are empty or stale. They are fetched only if a package is unknown or installing fails.
known() { apt-cache show --no-all-versions "$1" >/dev/null 2>&1; }
fresh=yes
for package in "${missing[@]}"; do
  known "$package" || fresh=no
done
if [ $fresh = yes ] && install; then
  exit 0
fi
if apt update && install; then
  exit 0
fi
echo "install-deps: apt-get could not install ${missing[*]}." >&2
echo "  See its messages above. Without a network, install the packages by hand and run make with PLUMBLINE_SKIP_DEPS=1." >&2
exit 1
