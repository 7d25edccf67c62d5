#!/usr/bin/env bash
# schema.sh: compares each example's contract with its schema.lock, or rewrites the locks.
#
# Usage   scripts/schema.sh check|lock DIRECTORY-OF-THE-EXECUTABLES
#         BREAKING=1 with lock: even if older fronts will no longer work
# Exit    0 nothing has changed, or the locks are written · 65 a lock lacks a compatible change
#         76 a change breaks older fronts, and is named · otherwise napkin-client's status
# Files   everything else lives in a new directory under /tmp, removed at the end; the daemon that
#         was started is ended, however this script ends

set -u

if [ $# -ne 2 ] || [[ ! $1 =~ ^(check|lock)$ ]] || [ ! -x "$2/napkind" ] ||
    [ ! -x "$2/napkin-client" ]; then
    printf 'schema: usage: scripts/schema.sh check|lock DIRECTORY-OF-THE-EXECUTABLES\n' >&2
    exit 64
fi
bin=$(cd "$2" && pwd) || exit
readonly action=$1 bin
readonly locks=${SCHEMA_LOCKS:-examples}  # a directory of directories, each with a lock
cd "$(dirname "$0")/.." || exit

name=schema
. scripts/own-daemon.sh

client() { "$bin/napkin-client" "$@" --socket "$socket"; }

for manifest in examples/*/*.json; do install_app "$manifest"; done
start_daemon
[ "$action" = lock ] && options=(--lock) || options=(--check)
after=()
[ "$action" = check ] || [ -z "${BREAKING:-}" ] || after=(--accept-breaking)

# The worst status of all, so that every lock is checked.
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
