#!/usr/bin/env bash
# schema.sh: holds each example's contract against its schema.lock, or writes the locks anew.
#
# Usage   scripts/schema.sh check|lock DIRECTORY-OF-THE-EXECUTABLES
#         BREAKING=1 with lock: also when older fronts will not work any more
# Exit    0 nothing has changed, or the locks are written · 65 a lock lacks a compatible change
#         76 a change breaks older fronts, and is named · else as napkin-client
# Files   everything else lives in a new directory under /tmp, removed at the end; the daemon that
#         was started is ended, however this script ends

set -u

if [ $# -ne 2 ] || [[ ! $1 =~ ^(check|lock)$ ]] || [ ! -x "$2/napkind" ] ||
    [ ! -x "$2/napkin-client" ]; then
    printf 'schema: usage: scripts/schema.sh check|lock DIRECTORY-OF-THE-EXECUTABLES\n' >&2
    exit 64
fi
bin=$(cd "$2" && pwd) || exit
readonly action=$1 bin ready_seconds_max=30 stop_seconds_max=10
readonly locks=${SCHEMA_LOCKS:-examples}  # a directory of directories, each with a lock
cd "$(dirname "$0")/.." || exit

directory=$(mktemp -d /tmp/napkin-schema.XXXXXX) || exit 73  # short: a socket path has ~100 bytes
readonly directory socket="$directory/n.sock"
daemon=

finish() {
    local status=$?
    trap - EXIT
    trap '' INT TERM HUP PIPE
    if [ -n "$daemon" ]; then
        kill -TERM "$daemon" 2>/dev/null
        timeout "$stop_seconds_max" tail --pid="$daemon" -s 0.05 -f /dev/null ||
            kill -KILL "$daemon" 2>/dev/null
        wait "$daemon" 2>/dev/null
    fi
    rm -rf -- "$directory"
    exit "$status"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

fail() {
    printf 'schema: %s\n' "$2" >&2
    exit "$1"
}

start_daemon() {
    local line
    mkfifo "$directory/ready" || exit 73
    "$bin/napkind" --socket "$socket" --state-dir "$directory/state" --ready-fd 9 \
        9>"$directory/ready" </dev/null >"$directory/napkind.log" 2>&1 &
    daemon=$!
    # One line when it is ready; end of file when it died first.
    if ! read -r -t "$ready_seconds_max" line <"$directory/ready"; then
        cat "$directory/napkind.log" >&2
        fail 70 "napkind did not start."
    fi
}

client() { "$bin/napkin-client" "$@" --socket "$socket"; }

start_daemon
[ "$action" = lock ] && options=(--lock) || options=(--check)
after=()
[ "$action" = check ] || [ -z "${BREAKING:-}" ] || after=(--accept-breaking)

# The worst of all, so that every lock is looked at.
worst=0
apps=$(client apps) || exit
for app in $(tail -n +2 <<<"$apps" | cut -d ' ' -f 1); do
    lock=$(grep -lx "app $app" "$locks"/*/schema.lock 2>/dev/null | head -n 1)
    if [ -z "$lock" ]; then
        printf 'schema: %s has no lock: start napkind, then napkin-client schema %s --lock %s\n' \
            "$app" "$app" "examples/…/schema.lock" >&2
        status=66
    else
        client schema "$app" "${options[@]}" "$lock" "${after[@]}"
        status=$?
    fi
    [ "$status" -le "$worst" ] || worst=$status
done

case $action/$worst in
    check/65) printf 'schema: make schema-lock accepts these changes; commit the locks.\n' >&2 ;;
    */76) printf 'schema: make schema-lock BREAKING=1 accepts them; CONTRIBUTING.md says when.\n' >&2 ;;
esac
exit "$worst"
