#!/usr/bin/env bash
# screenshots.sh: draws the documents' pictures and records the README's, from clients in tmux and
# from a browser.
#
# Usage   scripts/screenshots.sh DIRECTORY-OF-THE-EXECUTABLES
# Files   writes examples/*/pictures; everything else lives below /tmp and .build
# Needs   tmux; chromium; DejaVu Sans Mono; python3 with venv; fonttools from PyPI, once, in
#         .build/pictures

set -eu -o pipefail

bin=$1
name=screenshots
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/own-daemon.sh"

readonly virtual=$root/.build/pictures
readonly seconds_max=20

if ! "$virtual/bin/python" -c 'import brotli, fontTools' 2>/dev/null; then
    python3 -m venv --clear "$virtual"
    "$virtual/bin/python" -m pip install --quiet --disable-pip-version-check 'fonttools[woff]>=4,<5'
fi

pane() { tmux -S "$directory/t.sock" -f /dev/null "$@"; }

# open_terminal NAME COLUMNS LINES PROGRAM ARGUMENT…: runs a program in a new terminal.
open_terminal() {
    pane new-session -d -x "$2" -y "$3" -s "$1" \
        -e TERM=tmux-256color -e COLORTERM=truecolor -e LC_ALL=C.UTF-8 -e PS1='$ ' -e HISTFILE= \
        "${@:4}"
    pane set -g status off
    pane resize-window -t "$1" -x "$2" -y "$3"
}

close_terminal() { pane kill-session -t "$1"; }

# shows NAME TEXT: waits until the terminal shows it.
shows() {
    local began=$SECONDS
    until pane capture-pane -p -t "$1": | grep -qF -- "$2"; do
        [ "$((SECONDS - began))" -lt "$seconds_max" ] ||
            fail 70 "the client did not show '$2' in $seconds_max s."
        sleep 0.05
    done
}

press() { pane send-keys -t "$1": "${@:2}"; }

# type_line NAME LINE: types as a person does.
type_line() {
    local index
    for ((index = 0; index < ${#2}; index++)); do
        press "$1" -l -- "${2:index:1}"
        sleep 0.05
    done
    sleep 0.6
    press "$1" Enter
}

draw() { "$virtual/bin/python" "$root/scripts/screenshots.py" "$@" >"$directory/picture.svg"; }

# keep EXAMPLE NAME: what was drawn is the picture.
keep() {
    mkdir -p "$root/examples/$1/pictures"
    mv "$directory/picture.${2##*.}" "$root/examples/$1/pictures/$2"
    printf 'screenshots: %s\n' "examples/$1/pictures/$2"
}

# picture EXAMPLE NAME APP: draws what the terminal shows now.
picture() {
    pane capture-pane -e -N -p -t shot: | draw picture 80 18 "napkin-client attach $3"
    keep "$1" "$2.svg"
}

# page EXAMPLE NAME APP light|dark STEP…: draws the app's page.
page() {
    local address began=$SECONDS
    : >"$directory/address"
    "$bin/napkin-client" web "$3" --no-open --socket "$socket" >"$directory/address" &
    clients+=($!)
    until read -r address <"$directory/address"; do
        [ "$((SECONDS - began))" -lt "$seconds_max" ] || fail 70 "there is no page of $3."
        sleep 0.05
    done
    "$virtual/bin/python" "$root/scripts/page_pictures.py" "$address" 900x640 "$4" "${@:5}" \
        "picture:$directory/picture.webp" || fail $? "no picture of the page of $3."
    kill -TERM "${clients[-1]}"
    wait "${clients[-1]}" || true
    unset 'clients[-1]'
    keep "$1" "$2.webp"
}

# in_both EXAMPLE APP TEXT light|dark KEY…: draws a terminal after the keys, when it shows the text,
# and a page of the same session.
in_both() {
    local key
    open_terminal shot 80 18 "$bin/napkin-client" attach "$2" --socket "$socket"
    for key in "${@:5}"; do
        case $key in
        shows:*) shows shot "${key#shows:}" ;;
        *) press shot "$key" ;;
        esac
    done
    shows shot "$3"
    picture "$1" terminal "$2"
    page "$1" page "$2" "$4" "shows:$3"
    close_terminal shot
}

# frame: appends what all terminals show now.
frame() {
    printf '%s %s\n' "$EPOCHREALTIME" "$(<"$directory/caption")"
    pane capture-pane -e -N -p -t left: \; capture-pane -e -N -p -t right: \; \
        capture-pane -e -N -p -t shell:
}

# record: appends a frame some 15 times a second, until it is ended.
record() {
    while [ -e "$directory/caption" ]; do
        frame
        sleep 0.05
    done >"$directory/frames"
}

# caption SECONDS TEXT: says what is to be seen from now on, and gives time to read it.
caption() {
    printf '%s' "$2" >"$directory/caption.new"
    mv "$directory/caption.new" "$directory/caption"
    sleep "$1"
}

# draw_pictures: the door, the table and the board.
draw_pictures() {
    open_terminal shot 80 18 "$bin/napkin-client" attach rib-house --socket "$socket"
    shows shot 'Login'
    picture RibHouse logged-out rib-house
    press shot l
    shows shot 'LAST CALL'
    picture RibHouse logged-in rib-house
    press shot p
    shows shot 'Served'
    picture RibHouse pit-board rib-house
    page RibHouse page rib-house light 'shows:Served' "holds:document.querySelector('svg')"
    close_terminal shot
}

# submit_jobs: some that have ended, and one that others wait for.
submit_jobs() {
    local submit=("$bin/jobs" submit --socket "$socket" --queue)
    {
        "${submit[@]}" main 'echo [1/1] Resolving; sleep 0.4'
        # shellcheck disable=SC2016  # the job's shell expands it
        "${submit[@]}" build 'for i in 1 2 3 4 5; do echo "[$i/5] Compiling"; sleep 5; done'
        "${submit[@]}" main --after 2 'make test'
        "${submit[@]}" night 'rsync -a docs/ backup:; exit 12'
        "${submit[@]}" night --after 4 'echo backed up'
    } >/dev/null || fail $? 'no jobs.'
}

# draw_others: the other apps, in a terminal and in a browser.
draw_others() {
    in_both Cart cart Subtotal light shows:Cornbread Enter Down Enter Tab Tab smoke10 Enter
    in_both Characters characters 'Known for' dark shows:Mae Enter
    in_both Transcription transcription 'Oak first' light shows:Record r
    submit_jobs
    in_both Jobs jobs skipped light 'shows:1 running' 'shows:40 %'
}

# make_recording: two terminals, a tap in each, and the death of the worker.
make_recording() {
    local terminal worker
    readonly columns=58 lines=22 shell_lines=2
    for terminal in left right; do
        open_terminal "$terminal" "$columns" "$lines" \
            "$bin/napkin-client" attach rib-house --session lunch --socket "$socket"
    done
    open_terminal shell 100 "$shell_lines" bash --norc --noprofile -i
    shows left '2 fronts'
    shows right '2 fronts'
    shows shell '$'
    printf 'Two terminals, one session.' >"$directory/caption"
    record &
    clients+=($!)
    sleep 1.5
    caption 1.2 'Key l in the left one logs in. The right one follows.'
    press left l
    shows right 'Pit Board'
    sleep 2
    caption 1.2 'Key p in the right one opens the pit board. The left one follows.'
    press right p
    shows left 'Specials'
    shows left 'Served'
    sleep 1
    worker=$("$bin/napkin-client" ls --json --socket "$socket" | "$virtual/bin/python" -c \
        'import json, sys; print(json.load(sys.stdin)[0]["worker"]["pid"])')
    caption 0.5 'kill -9 of the worker, the process that runs all of it.'
    type_line shell "kill -9 $worker   # the worker"
    sleep 1
    caption 3 'A new worker has taken over: the same board, and nothing is lost.'
    caption 1 'Key b in the left one goes back. The pit goes on.'
    press left b
    shows right 'LIVE FROM THE PIT'
    sleep 3
    frame >"$directory/last"
    rm "$directory/caption"
    wait "${clients[-1]}"
    unset 'clients[-1]'
    cat "$directory/last" >>"$directory/frames"
    draw recording "$columns" "$lines" "$shell_lines" <"$directory/frames"
    keep RibHouse recording.svg
    for terminal in left right shell; do close_terminal "$terminal"; done
}

export NAPKIN_RIBHOUSE_TICK=2.5
for app in RibHouse/rib-house Cart/cart Characters/characters Transcription/transcription Jobs/jobs; do
    install_app "$root/examples/$app.json"
done
"$bin/characters-server" >/dev/null &
clients+=($!)
start_daemon --set "transcription.transcript=$root/examples/Transcription/sample.transcript"
draw_pictures
draw_others
make_recording
