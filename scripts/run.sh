#!/usr/bin/env bash
# run.sh: starts a daemon of its own and attaches a client to Rib House.
#
# Usage   scripts/run.sh DIRECTORY-OF-THE-EXECUTABLES
# Files   everything lives in a new directory under /tmp, removed at the end; the daemon that
#         was started is ended, however this script ends
#
# On a terminal it attaches and a person drives. Without one it shows the plain screen for
# NAPKIN_RUN_SECONDS (8), logs in through a second, scripted front so that there is something
# to see, and ends with status 0.

set -u

if [ $# -ne 1 ] || [ ! -x "$1/napkind" ] || [ ! -x "$1/napkin-client" ]; then
    printf 'run: napkind and napkin-client are not in "%s"; use "make run".\n' "${1:-}" >&2
    exit 64
fi
readonly bin=$1
readonly seconds=${NAPKIN_RUN_SECONDS:-8}
readonly ready_seconds_max=30 stop_seconds_max=10

directory=$(mktemp -d /tmp/napkin-run.XXXXXX) || exit 73  # short: a socket path has ~100 bytes
readonly directory socket="$directory/napkind.sock"
daemon= screen_client=

finish() {
    local status=$?
    trap - EXIT
    trap '' INT TERM HUP PIPE
    [ -z "$screen_client" ] || kill -TERM "$screen_client" 2>/dev/null
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
    printf 'run: %s\n' "$1" >&2
    if [ -s "$directory/napkind.log" ]; then
        printf 'run: what napkind said:\n' >&2
        cat "$directory/napkind.log" >&2
    fi
    exit 70
}

start_daemon() {
    local line
    mkfifo "$directory/ready" || exit 73
    # A process group of its own: Ctrl-C is for the client; the daemon ends after it.
    set -m
    "$bin/napkind" --socket "$socket" --state-dir "$directory/state" --ready-fd 9 \
        9>"$directory/ready" </dev/null >"$directory/napkind.log" 2>&1 &
    daemon=$!
    set +m
    # One line when it is ready; end of file when it died first.
    read -r -t "$ready_seconds_max" line <"$directory/ready" || fail "napkind did not start."
}

attach() { "$bin/napkin-client" attach rib-house --socket "$socket" "$@"; }

# log_in: a scripted front that taps Login once that button is there, then detaches.
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

# show: the plain screen, for a while. Its first line proves that it is attached.
show() {
    local line screen idle status logged_in=
    # An input that neither says anything nor ends.
    mkfifo "$directory/idle" && exec {idle}<>"$directory/idle" || exit 73
    exec {screen}< <(exec timeout "$seconds" "$bin/napkin-client" \
        attach rib-house --plain --socket "$socket" <&"$idle")
    screen_client=$!
    while IFS= read -r -u "$screen" line; do
        printf '%s\n' "$line" 2>/dev/null || exit 141
        [ -n "$logged_in" ] && continue
        logged_in=yes
        log_in
    done
    wait "$screen_client"
    status=$?
    screen_client=
    [ "$status" -eq 124 ] && return 0  # timeout ended it, as meant
    [ "$status" -eq 0 ] || fail "napkin-client ended with status $status."
}

if [ -t 0 ] && [ -t 1 ]; then
    start_daemon
    attach
else
    export NAPKIN_RIBHOUSE_TICK=${NAPKIN_RIBHOUSE_TICK:-1}
    start_daemon
    show
fi
