#!/usr/bin/env bash
# screenshots.sh: draws the documents' pictures, from a client in tmux.
#
# Usage   scripts/screenshots.sh DIRECTORY-OF-THE-EXECUTABLES
# Files   writes examples/RibHouse/pictures/*.svg; everything else lives below /tmp and .build
# Needs   tmux; python3 with venv; rich from PyPI, once, in .build/pictures

set -eu -o pipefail

bin=$1
name=screenshots
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/own-daemon.sh"

readonly virtual=$root/.build/pictures pictures=$root/examples/RibHouse/pictures
readonly columns=80 lines=18 seconds_max=20

if ! "$virtual/bin/python" -c 'import rich' 2>/dev/null; then
    python3 -m venv --clear "$virtual"
    "$virtual/bin/python" -m pip install --quiet --disable-pip-version-check 'rich>=14,<16'
fi

pane() { tmux -S "$directory/t.sock" -f /dev/null "$@"; }

# open_terminal ARGUMENT…: runs a client in a new terminal.
open_terminal() {
    pane new-session -d -x "$columns" -y "$lines" -s shot \
        -e TERM=tmux-256color -e COLORTERM=truecolor -e LC_ALL=C.UTF-8 \
        "$bin/napkin-client" "$@" --socket "$socket"
    pane set -g status off
    pane resize-window -t shot -x "$columns" -y "$lines"
}

close_terminal() { pane kill-session -t shot; }

# shows TEXT: waits until the terminal shows it.
shows() {
    local began=$SECONDS
    until pane capture-pane -p -t shot: | grep -qF -- "$1"; do
        [ "$((SECONDS - began))" -lt "$seconds_max" ] ||
            fail 70 "the client did not show '$1' in $seconds_max s."
        sleep 0.05
    done
}

press() { pane send-keys -t shot: "$@"; }

# picture NAME TITLE: draws what the terminal shows now.
picture() {
    pane capture-pane -e -N -p -t shot: |
        "$virtual/bin/python" "$root/scripts/screenshots.py" "$columns" "$2" \
            >"$directory/picture.svg"
    mv "$directory/picture.svg" "$pictures/$1.svg"
    printf 'screenshots: %s\n' "examples/RibHouse/pictures/$1.svg"
}

mkdir -p "$pictures"
export NAPKIN_RIBHOUSE_TICK=1.5
install_app "$root/examples/RibHouse/rib-house.json"
start_daemon

open_terminal attach rib-house
shows 'Login'
picture logged-out 'napkin-client attach rib-house'
press l
shows 'LAST CALL'
picture logged-in 'napkin-client attach rib-house'
press p
shows 'Served'
picture pit-board 'napkin-client attach rib-house'
close_terminal
