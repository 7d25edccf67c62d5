#!/usr/bin/env bash
# syscalls.sh: counts the system calls of an event, on the front's side and on the worker's.
#
# Usage   scripts/syscalls.sh NAPKIN-BENCH [SECONDS]   with an optimised napkin-bench; needs strace
# Output  strace's table for each of the two processes, while one event at a time is under way

set -eu -o pipefail

if [ $# -lt 1 ] || [ ! -x "$1" ] || ! command -v strace >/dev/null; then
    printf 'usage: scripts/syscalls.sh NAPKIN-BENCH [SECONDS]; needs strace\n' >&2
    exit 64
fi
readonly bench=$1 seconds=${2:-2}
tables=$(mktemp -d /tmp/napkin-calls.XXXXXX)
front=

finish() {
    [ -z "$front" ] || kill "$front" 2>/dev/null || true
    rm -rf -- "$tables"
}
trap finish EXIT

"$bench" throughput --outstanding 1 --count 100000000 >/dev/null &
front=$!

# The daemon is the front's child, the worker the daemon's. It has begun when the worker runs.
worker=
for _ in $(seq 100); do
    daemon=$(pgrep -P "$front" | head -n 1) || true
    [ -z "$daemon" ] || worker=$(pgrep -P "$daemon" | head -n 1) || true
    [ -z "$worker" ] || break
    sleep 0.1
done
[ -n "$worker" ] || { printf 'syscalls: no worker was started\n' >&2; exit 70; }
sleep 1

for side in worker front; do
    timeout --signal=INT "$seconds" strace -c -f -o "$tables/$side" -p "${!side}" 2>/dev/null || true
    printf '%s\n' "$side:"
    awk 'NR == 1 || $4 ~ /^[0-9]+$/ && $NF != "total"' "$tables/$side"
done
