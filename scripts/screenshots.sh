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

# serve PROGRAM ARGUMENT…: starts a server of pages; sets `address`.
serve() {
    local began=$SECONDS
    : >"$directory/address"
    "$@" --no-open >"$directory/address" &
    clients+=($!)
    until read -r address <"$directory/address"; do
        [ "$((SECONDS - began))" -lt "$seconds_max" ] || fail 70 "there is no page: $*"
        sleep 0.05
    done
}

# page EXAMPLE NAME APP light|dark STEP…: draws the app's page.
page() {
    local address
    serve "$bin/napkin-client" web "$3" --socket "$socket"
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
    local pages=("$directory"/page[0-9])
    printf '%s %s %s\n' "$EPOCHREALTIME" "${pages[-1]}" "$(<"$directory/caption")"
    pane capture-pane -e -N -p -t list: \; capture-pane -e -N -p -t shell:
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

# start_runs: some that have ended, and one that others wait for.
start_runs() {
    local run=("$bin/desk" run --in "$directory" --socket "$socket")
    {
        "${run[@]}" 'echo [1/1] Resolving; sleep 0.4'
        # shellcheck disable=SC2016  # the run's shell expands it
        "${run[@]}" --name build 'for i in 1 2 3 4 5; do echo "[$i/5] Compiling"; sleep 5; done'
        "${run[@]}" --after 2 'make test'
        "${run[@]}" --queue night 'rsync -a docs/ backup:; exit 12'
        "${run[@]}" --queue night --after 4 'echo backed up'
    } >/dev/null || fail $? 'no runs.'
}

# draw_others: the other apps, in a terminal and in a browser.
draw_others() {
    in_both Cart cart Subtotal light shows:Cornbread Enter Down Enter Tab Tab smoke10 Enter
    in_both Characters characters 'Known for' dark shows:Mae Enter
    in_both Transcription transcription 'Oak first' light shows:Record r
    start_runs
    in_both Desk desk skipped light 'shows:1 running' 'shows:40 %'
    # What runs would go on.
    "$bin/napkin-client" kill desk --programs --socket "$socket" >/dev/null
}

# write_agent: a program that asks before it goes on.
write_agent() {
    cat >"$directory/agent" <<'AGENT'
#!/bin/sh
echo 'Reading 14 files'; sleep 4
echo 'Writing migration 0042'; sleep 7
if [ "$(desk ask 'Apply migration 0042?')" = yes ]; then
    for part in 1 2 3 4 5; do echo "[$part/5] Applying"; sleep 0.8; done
fi
AGENT
    chmod +x "$directory/agent"
}

# taken PATH: waits until a picture of the page is there.
taken() {
    local began=$SECONDS
    until [ -e "$1" ]; do
        [ "$((SECONDS - began))" -lt "$seconds_max" ] || fail 70 "no picture $1 in $seconds_max s."
        sleep 0.05
    done
}

# processes: of the worker and the napkind of the recording, which its clients have started.
processes() {
    "$bin/napkin-client" status --json | "$virtual/bin/python" -c \
        'import json, sys; status = json.load(sys.stdin)
print(status["apps"][0]["pid"], status["daemon"]["pid"])'
}

# make_recording: an agent that asks, a phone's page that answers, and the death of all but the agent.
make_recording() {
    local running address page=$directory/page
    readonly columns=84 lines=20 shell_lines=3
    # As a person has it: clients find napkind, and start it.
    export XDG_RUNTIME_DIR="$directory/run" XDG_STATE_HOME="$directory/recorded" PATH="$bin:$PATH"
    local own=(env "--chdir=$directory" "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" "PATH=$PATH"
        "XDG_STATE_HOME=$XDG_STATE_HOME")
    mkdir -m 700 "$XDG_RUNTIME_DIR" "$XDG_STATE_HOME"
    write_agent
    serve "$bin/desk" web desk
    "$virtual/bin/python" "$root/scripts/page_pictures.py" "$address" 390x600 dark \
        shows:Desk "picture:${page}0" shows:agent "picture:${page}1" \
        "waits:$directory/killed" 'shows:· connected' "picture:${page}2" \
        'shows:Apply migration' "picture:${page}3" "waits:$directory/answer" click:yes \
        'shows:0 running' "picture:${page}4" &
    clients+=($!)
    open_terminal list "$columns" "$lines" "${own[@]}" "$bin/desk"
    open_terminal shell 110 "$shell_lines" "${own[@]}" bash --norc --noprofile -i
    shows list '0 running'
    shows shell '$'
    taken "${page}0"
    printf 'Desk keeps programs running. A terminal and a phone show the list.' >"$directory/caption"
    record &
    clients+=($!)
    sleep 1.5
    caption 0.8 'A shell starts an agent.'
    type_line shell 'desk run --name agent ./agent'
    shows list 'Writing'
    read -ra running < <(processes)
    caption 0.8 'kill -9 of the worker and of napkind: all of Desk but the agent.'
    type_line shell "kill -9 ${running[*]}   # the worker, napkind"
    touch "$directory/killed"
    sleep 1
    shows list ' connected '
    # They were started on demand, and would wait for the next client.
    read -ra running < <(processes)
    clients=("${running[@]}" "${clients[@]}")
    caption 1.5 'Both are back. The agent never stopped.'
    shows list 'Apply migration'
    taken "${page}3"
    caption 2.5 'It asks. The question is on the terminal and on the phone.'
    caption 0.8 'The phone answers yes, and the agent goes on.'
    touch "$directory/answer"
    shows list '0 running'
    taken "${page}4"
    sleep 3
    frame >"$directory/last"
    rm "$directory/caption"
    wait "${clients[-1]}"
    unset 'clients[-1]'
    cat "$directory/last" >>"$directory/frames"
    draw recording "$columns" "$lines" "$shell_lines" <"$directory/frames"
    keep Desk recording.svg
    close_terminal list
    close_terminal shell
}

export NAPKIN_RIBHOUSE_TICK=2.5
for app in RibHouse/rib-house Cart/cart Characters/characters Transcription/transcription Desk/desk; do
    install_app "$root/examples/$app.json"
done
"$bin/characters-server" >/dev/null &
clients+=($!)
start_daemon --set "transcription.transcript=$root/examples/Transcription/sample.transcript"
draw_pictures
draw_others
make_recording
