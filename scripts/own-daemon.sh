#!/usr/bin/env bash
# own-daemon.sh: a separate napkind for a script; it ends with the script, however that ends.
#
# Usage   source it, with `bin` set to the directory of the executables and `name` to a name for
#         the new directory; it sets `directory` and `socket`
#         install_app PATH  installs an app by its manifest, whose programs are in `bin`
#         start_daemon      sets `daemon`; fails if none is ready within ready_seconds_max
#         clients           process ids that are ended before the daemon
# Files   everything lives in `directory`, under /tmp, removed at the end

readonly ready_seconds_max=30 stop_seconds_max=10
directory=$(mktemp -d "/tmp/napkin-$name.XXXXXX") || exit 73  # short: a socket path has ~100 bytes
readonly directory socket="$directory/napkind.sock"
daemon= clients=()
# The apps' files, which are nobody's either.
export XDG_DATA_HOME="$directory/data" XDG_CACHE_HOME="$directory/cache"
export XDG_DATA_DIRS="$directory/share"

finish() {
    local status=$?
    trap - EXIT
    trap '' INT TERM HUP PIPE
    [ "${#clients[@]}" -eq 0 ] || kill -TERM "${clients[@]}" 2>/dev/null
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

# fail STATUS SENTENCE: prints the reason, and the daemon's log.
fail() {
    printf '%s: %s\n' "$name" "$2" >&2
    if [ -s "$directory/napkind.log" ]; then
        printf '%s: what napkind said:\n' "$name" >&2
        cat "$directory/napkind.log" >&2
    fi
    exit "$1"
}

install_app() { "$bin/napkin-client" install "$1" --bin "$bin" >/dev/null || fail $? "no $1."; }

# start_daemon ARGUMENT…: with these arguments of napkind, besides its directories.
start_daemon() {
    local line
    mkfifo "$directory/ready" || exit 73
    # A separate process group: Ctrl-C is for the client; the daemon ends after it.
    set -m
    "$bin/napkind" --socket "$socket" --state-dir "$directory/state" --ready-fd 9 "$@" \
        9>"$directory/ready" </dev/null >"$directory/napkind.log" 2>&1 &
    daemon=$!
    set +m
    # One line when it is ready; end of file if it died first.
    read -r -t "$ready_seconds_max" line <"$directory/ready" || fail 70 "napkind did not start."
}
