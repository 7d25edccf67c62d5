#!/usr/bin/env bash
# bench-processes.sh: starts a front and a worker of napkin-bench, with one event at a time under way.
#
# Usage   source it, with `bench` set to an optimised napkin-bench and `directory` to a directory
#         that is removed at the end; sets `front` and `worker` to their process ids

front=

finish() {
    [ -z "$front" ] || kill "$front" 2>/dev/null || true
    rm -rf -- "$directory"
}
trap finish EXIT

"$bench" throughput --outstanding 1 --count 100000000 >/dev/null &
front=$!

# The daemon is the front's child, the worker is the daemon's. Events begin when the worker runs.
worker=
for _ in $(seq 100); do
    daemon=$(pgrep -P "$front" | head -n 1) || true
    [ -z "$daemon" ] || worker=$(pgrep -P "$daemon" | head -n 1) || true
    [ -z "$worker" ] || break
    sleep 0.1
done
[ -n "$worker" ] || { printf '%s: no worker was started\n' "${0##*/}" >&2; exit 70; }
sleep 1
