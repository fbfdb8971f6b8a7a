#!/usr/bin/env bash
# The checks that a change must pass besides `make test`. Runs every step even if one fails, and ends with a summary table;
# exits with 1 if a step failed.
#   scripts/check.sh [--long] [STEP...]
# Steps, in the order of the default: format layering headers install mistakes tracing hardware clang asan tsan.
# --long: also the steps compiling, kills, docs, attribution, viewer, perfetto and omitted, the generated chains,
# tf.data's cases and the hardware, lp, model and tune tests with clang, and all tests of the sanitizers' folders and lp
# (default: a core set).
set -uo pipefail
cd "$(dirname "$0")/.."
unset CXX CC CXXFLAGS CPPFLAGS LDFLAGS
JOBS=${JOBS:-$(nproc)}
CLANG_FORMAT=${CLANG_FORMAT:-$(command -v clang-format-14 || echo clang-format)}

long=
[ "${1:-}" != --long ] || { long=1; shift; }

built() { cmake --preset "$1" && cmake --build --preset "$1" --parallel "$JOBS" "${@:2}"; }

format() { scripts/sources.sh | xargs -0 -r "$CLANG_FORMAT" --dry-run -Werror; }
layering() { python3 tests/check_layering.py --self-test && python3 tests/check_layering.py .; }
headers() { built dev --target all_verify_interface_header_sets; }
# what make test leaves out: programs that use the installed library, the texts of compile-time errors, the documentation's code
install() { built dev && ctest --preset dev --label-regex '^install$'; }
mistakes() { built dev && ctest --preset dev --label-regex '^mistakes$'; }
docs() { built dev && ctest --preset dev --label-regex '^docs$'; }
tracing() { python3 tests/check_tracing_off.py . --compiler g++; }
# scripts/hardware_map under callgrind; make test skips it where valgrind is missing
hardware() { built dev --target hardware_sample && ctest --preset dev --label-regex '^hardware$'; }
# the map's shares of instructions beside those of each operator called alone, on the project's photos
attribution() {
  command -v valgrind > /dev/null || { echo "attribution: SKIPPED: valgrind is missing" >&2; return 77; }
  built bench --target hardware_photos &&
    python3 -B bench/hardware/compare.py build/bench/bench/hardware_photos examples/data/photos decode resize flip normalise planar batch
}
# a saved timeline in Chromium's DevTools, with a picture of it in build/; python3-selenium is for Debian's own Python
viewer() { built dev --target viewer_sample && /usr/bin/python3 -B tests/trace_in_chromium.py build/dev/tests/viewer_sample; }
# the same in Perfetto's UI, with counters and arrows; PERFETTO_UI: where that is
perfetto() { built dev --target viewer_sample && /usr/bin/python3 -B tests/trace_in_perfetto.py build/dev/tests/viewer_sample; }
# the test files that make test omits, with g++
omitted() {
  cmake --preset dev -DPLUMBLINE_TEST_OMIT= && cmake --build --preset dev --parallel "$JOBS" &&
    ctest --preset dev --label-regex '^(exec|ops|tune)$'
}
# two hundred kills of processes that share their preparation, or a cache
kills() {
  export PLUMBLINE_TEST_KILLS=200
  built dev --target test_shared test_ipc && build/dev/tests/test_shared 'run_shared*' &&
    build/dev/tests/test_ipc 'shared cache: processes are killed*'
}
# the cost of compiling pipelines, in counts that are the same on any machine
compiling() { python3 bench/compile/compile.py --check; }
# header-only, whereas make test uses plumbline::compiled. With the documentation's code and the files that make test omits
# (CMakePresets.json); make test already runs the whole-tree checks
clang() {
  local skip='hardware;laws;oracle;lp;model;tune'
  [ -z "$long" ] || skip=''
  cmake --preset clang "-DPLUMBLINE_TEST_SKIP=$skip" && cmake --build --preset clang --parallel "$JOBS" &&
    ctest --preset clang --parallel "$JOBS" --label-exclude '^(tree|install)$'
}
# builds the preset of a sanitizer with the test files that match a regular expression, or with --long all of them
sanitized() {
  local files=$2 folders='data;exec;ipc;shared;watch'
  [ -z "$long" ] || files='' folders+=';lp'
  cmake --preset "$1" "-DPLUMBLINE_TEST_FOLDERS=$folders" "-DPLUMBLINE_TEST_FILES=$files" &&
    cmake --build --preset "$1" --parallel "$JOBS"
}
asan() {
  export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
  sanitized asan '/(data|ipc)/|/(faults|lifecycle|processes|streams|stuck)[.]cpp$' && ctest --preset asan
}
tsan() {
  # ThreadSanitizer cannot start if the kernel randomises addresses more widely than it supports; then disable that
  local plain=() probe=build/tsan-probe
  mkdir -p build
  echo 'int main() {}' | g++ -fsanitize=thread -x c++ - -o $probe || return 1
  if ! $probe 2>/dev/null; then
    plain=(setarch "$(uname -m)" -R)
    if ! "${plain[@]}" $probe; then
      echo "tsan: SKIPPED: ThreadSanitizer cannot start on this machine, with or without address randomisation" >&2
      return 77
    fi
  fi
  scripts/tsan-tbb.sh "$PWD/build/tsan-tbb"
  case $? in
    0) ;;
    77) echo "tsan: SKIPPED: without a TBB built with ThreadSanitizer, its reports mean nothing" >&2 && return 77 ;;
    *) return 1 ;;
  esac
  export TSAN_OPTIONS=history_size=7:die_after_fork=0  # tests fork, and their children start threads
  sanitized tsan '/(adjusting|channels|consumers|lifecycle|saving|slots|stats|streams|threads|timeline)[.]cpp$' && "${plain[@]}" ctest --preset tsan
}

steps=("$@")
[ $# -gt 0 ] || steps=(format layering headers install mistakes tracing hardware clang asan tsan ${long:+compiling kills docs attribution viewer perfetto omitted})
summary="" status=0
for step in "${steps[@]}"; do
  printf '\n==== check: %s\n' "$step"
  start=$SECONDS
  ("$step")
  case $? in
    0) result=passed ;;
    77) result=SKIPPED ;;
    *) result=FAILED status=1 ;;
  esac
  summary+=$(printf '%-10s %-7s %5d s' "$step" "$result" $((SECONDS - start)))$'\n'
done
printf '\n==== check: summary\n%s' "$summary"
exit $status
