#!/usr/bin/env bash
# Starts memcached servers without eviction (-M) on the loopback, for tests and trials of cache(servers), prints a line
# "host:port pid" for each, and stops them when its input ends, so also when the program that started it ends.
#   scripts/memcached_servers.sh [-n COUNT] [-m MEGABYTES] [-p FIRST_PORT]      default: 1 server, 64 MB, unused ports
# In a terminal: Ctrl-D or Ctrl-C stops them. Exits with 1 if one cannot be started.
set -euo pipefail

count=1 megabytes=64 port=
while getopts n:m:p: option; do
  case $option in
    n) count=$OPTARG ;;
    m) megabytes=$OPTARG ;;
    p) port=$OPTARG ;;
    *) exit 2 ;;
  esac
done
if ! command -v memcached >/dev/null; then
  echo "memcached_servers: memcached is not installed (Debian package memcached)" >&2
  exit 1
fi

folder=$(mktemp -d)
pids=()
stop() {
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done # KILL: it may have been stopped by SIGSTOP
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 1' INT TERM HUP

for ((i = 0; i < count; ++i)); do
  # -1: the system chooses an unused port, and memcached writes it to the file
  MEMCACHED_PORT_FILENAME=$folder/$i memcached -M -m "$megabytes" -U 0 -l 127.0.0.1 -u "$(id -un)" -t 2 \
    -p "$([ -z "$port" ] && echo -1 || echo $((port + i)))" </dev/null >/dev/null &
  pids+=($!)
  disown $! # the shell is not to report that it was killed
done
for ((i = 0; i < count; ++i)); do
  until [ -s "$folder/$i" ]; do
    if ! kill -0 "${pids[$i]}" 2>/dev/null || [ $SECONDS -gt 120 ]; then
      echo "memcached_servers: server $((i + 1)) did not start" >&2
      exit 1
    fi
    sleep 0.02
  done
  echo "127.0.0.1:$(sed -n 's/^TCP INET: //p' "$folder/$i" | head -1) ${pids[$i]}"
done
exec 1>&- # all are listed
cat >/dev/null
