#!/usr/bin/env bash
# run.sh: starts a separate daemon and attaches a client to Rib House.
#
# Usage   scripts/run.sh DIRECTORY-OF-THE-EXECUTABLES
# Files   everything lives in a new directory under /tmp, removed at the end; the daemon that
#         was started is ended, however this script ends
#
# On a terminal it attaches for a person to use. Without one it shows the plain screen for
# NAPKIN_RUN_SECONDS (8), logs in through a second, scripted front so that there is something
# to see, and ends with status 0.

set -u

if [ $# -ne 1 ] || [ ! -x "$1/napkind" ] || [ ! -x "$1/napkin-client" ]; then
    printf 'run: napkind and napkin-client are not in "%s"; use "make run".\n' "${1:-}" >&2
    exit 64
fi
readonly bin=$1
readonly seconds=${NAPKIN_RUN_SECONDS:-8}
name=run
. "$(dirname "$0")/own-daemon.sh"

attach() { "$bin/napkin-client" attach rib-house --socket "$socket" "$@"; }

# log_in: runs a scripted front that taps Login once that button is there, then detaches.
log_in() {
    local line in out pid
    coproc CONTROL { attach --control; }
    pid=$CONTROL_PID in=${CONTROL[0]} out=${CONTROL[1]}
    while IFS= read -r -t "$ready_seconds_max" -u "$in" line; do
        case $line in
        *'"mount"'*'rib-house.logged-out'* | *'rib-house.logged-out'*'"mount"'*)
            printf '%s\n' '{"t":"event","id":1,"feature":"rib-house.logged-out","method":"didTapLogin()","args":[]}' >&"$out"
            ;;
        *'"reply"'*)
            [[ $line == *'"ok":true'* ]] || printf 'run: logging in failed: %s\n' "$line" >&2
            break
            ;;
        esac
    done
    exec {out}>&-
    wait "$pid" 2>/dev/null
}

# show: shows the plain screen for a while. Its first line proves that it is attached.
show() {
    local line screen idle status logged_in=
    # An input that is empty and does not end.
    mkfifo "$directory/idle" && exec {idle}<>"$directory/idle" || exit 73
    exec {screen}< <(exec timeout "$seconds" "$bin/napkin-client" \
        attach rib-house --plain --socket "$socket" <&"$idle")
    clients=($!)
    while IFS= read -r -u "$screen" line; do
        printf '%s\n' "$line" 2>/dev/null || exit 141
        [ -n "$logged_in" ] && continue
        logged_in=yes
        log_in
    done
    wait "${clients[0]}"
    status=$?
    clients=()
    [ "$status" -eq 124 ] && return 0  # timeout ended it, as meant
    [ "$status" -eq 0 ] || fail 70 "napkin-client ended with status $status."
}

install_app "$(dirname "$0")/../examples/RibHouse/rib-house.json"
if [ -t 0 ] && [ -t 1 ]; then
    start_daemon
    # Ctrl-C leaves the client, which says how that went.
    trap : INT
    attach
else
    export NAPKIN_RIBHOUSE_TICK=${NAPKIN_RIBHOUSE_TICK:-1}
    start_daemon
    show
fi
