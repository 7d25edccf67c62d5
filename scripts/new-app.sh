#!/usr/bin/env bash
# new-app.sh: has `napkin-client new` write an app and features of every kind, builds, tests and drives
# it; then writes it anew and changes it as the tutorial does, part by part.
#
# Usage   scripts/new-app.sh DIRECTORY-OF-THE-EXECUTABLES
# Exit    0 everything is right · 70 something is wrong, and is named · else the failed program's status
# Files   the app is in .build/new-app/Kettle, and shares the project's .build: nothing of napkin is
#         compiled twice. An app that is built by itself is a part of package-test. Everything else
#         lives in a new directory under /tmp, removed at the end; the daemon that was started ends
#         with it

set -eu -o pipefail

for program in napkin-client napkind rib-house rib-house-worker; do
    [ $# -ne 1 ] || [ ! -x "$1/$program" ] || continue
    printf 'new-app: %s is not in "%s"; scripts/test.sh calls this.\n' "$program" "${1:-}" >&2
    exit 64
done
client=$(cd "$1" && pwd)/napkin-client
cd "$(dirname "$0")/.."
readonly client root=$PWD app=$PWD/.build/new-app/Kettle lines_max=59
readonly tutorial=$PWD/Sources/Napkin/Napkin.docc/Resources
name=new-app bin=$(dirname "$client")
. scripts/own-daemon.sh

say() { printf 'new-app: %s\n' "$*"; }

# share_build: has the app's makes build in the project's .build; the plan there may be another package's.
share_build() {
    local swift
    swift=$(command -v "${SWIFT:-swift}")
    mkdir "$directory/path"
    cat >"$directory/path/swift" <<-SCRIPT
	#!/bin/sh
	case \$1 in build | test) verb=\$1; shift
	    exec "$swift" "\$verb" --scratch-path "$root/.build" --disable-build-manifest-caching "\$@" ;;
	esac
	exec "$swift" "\$@"
	SCRIPT
    chmod +x "$directory/path/swift"
    PATH=$directory/path:$PATH
}

# sums FILE: notes every file of the app, with its checksum.
sums() {
    (cd "$app" && find . -path ./.build -prune -o -type f ! -name Package.resolved -print0 |
        sort -z | xargs -0 sha256sum) >"$directory/$1"
}

# make_app TARGET: runs make as a user does. A warning is a failure.
make_app() {
    local log=$directory/make.log began=$SECONDS
    if ! make --no-print-directory -C "$app" "$@" </dev/null >"$log" 2>&1; then
        cat "$log" >&2
        fail 70 "make $* failed, see above."
    fi
    ! grep -q 'warning:' "$log" || fail 70 "make $* warns: $(grep -m 1 'warning:' "$log")"
    say "make $*: $((SECONDS - began)) s"
}

# make_refused TARGET STATUS TEXT: runs make, which must fail with that status of the client and that text.
make_refused() {
    local log=$directory/make.log
    ! make --no-print-directory -C "$app" "$1" </dev/null >"$log" 2>&1 ||
        fail 70 "make $1 did not fail."
    grep -q "Error $2\$" "$log" && grep -q "$3" "$log" ||
        fail 70 "make $1 failed in another way: $(tail -n 5 "$log")"
    say "make $1: status $2, $3"
}

# expect_tests COUNT
expect_tests() {
    grep -q "Test run with $1 tests in .* passed" "$directory/make.log" ||
        fail 70 "not $1 tests passed: $(grep 'Test run' "$directory/make.log")"
}

# add_feature NAME FILES CHANGED ARGUMENT…: must create so many files, and change only these.
add_feature() {
    local feature=$1 files=$2 changed=$3 before after
    shift 3
    sums before
    "$client" new feature "$feature" --directory "$app" "$@" >"$directory/said"
    sums after
    before=$(comm -23 <(sort "$directory/before") <(sort "$directory/after") | cut -c 67- |
        sort | xargs)
    [ "$before" = "$changed" ] ||
        fail 70 "new feature $feature changed other files than it should: $before"
    after=$(comm -13 <(cut -c 67- "$directory/before") <(cut -c 67- "$directory/after"))
    [ "$(wc -l <<<"$after")" -eq "$files" ] && ! grep -v "$feature" <<<"$after" ||
        fail 70 "new feature $feature made other files than its own: $after"
    # Existing files are left alone.
    ! "$client" new feature "$feature" --directory "$app" "$@" 2>"$directory/said" ||
        fail 70 "new feature $feature was made twice."
    sums again
    cmp -s "$directory/after" "$directory/again" || fail 70 "a refused new feature changed files."
    say "new feature $feature: $files files made, changed:${changed:+ }$changed"
}

# drive FEATURE EVENT TYPE TEXT: sends an event to the app, and waits for a line of that type with
# that text.
drive() {
    printf '{"t":"event","id":1,"feature":"%s","method":"%s","args":[]}\n' "$1" "$2" >&"$out"
    expect "$2 of $1" "$3" "$4"
}

# expect WHY TYPE TEXT: waits for a line of that type with that text.
expect() {
    local line
    while IFS= read -r -t "$ready_seconds_max" -u "$in" line; do
        [[ $line != *'"ok":false'* ]] || fail 70 "$1 failed: $line"
        if [[ $line == *"\"t\":\"$2\""*"$3"* ]]; then
            say "$1: $2 $3"
            return
        fi
    done
    fail 70 "$1: no $2 with $3."
}

# kill_worker: ends the app's worker at once, as a crash does.
kill_worker() {
    local pid
    pid=$("$client" ls --socket "$socket" |
        awk 'NR == 1 { column = index($0, "WORKER") } NR == 2 { print substr($0, column) + 0 }')
    kill -KILL "$pid" || fail 70 "the worker $pid does not run."
}

# attach_guest: attaches a front of another app, which is not to notice anything.
attach_guest() {
    install_app examples/RibHouse/rib-house.json
    mkfifo "$directory/guest-input"
    : >"$directory/guest"
    exec {guest_out}<>"$directory/guest-input"
    "$client" attach rib-house --control --socket "$socket" \
        <"$directory/guest-input" >>"$directory/guest" {guest_out}>&- &
    guest=$! clients=("$!")
    guest_shows rib-house.logged-out
}

# guest_shows FEATURE: waits until it does.
guest_shows() {
    timeout "$ready_seconds_max" grep -q -m 1 "\"t\":\"mount\".*\"$1\"" \
        < <(exec tail -f -n +1 --pid="$guest" -s 0.1 "$directory/guest") ||
        fail 70 "the front of Rib House does not show $1."
}

# guest_leaves: what it was shown meanwhile must be one attachment, which still goes on.
guest_leaves() {
    printf '{"t":"event","id":1,"feature":"rib-house.logged-out","method":"didTapLogin()"}\n' >&"$guest_out"
    guest_shows rib-house.logged-in
    printf '{"t":"detach"}\n' >&"$guest_out"
    wait "$guest" || fail 70 "the front of Rib House ended with status $?."
    clients=()
    exec {guest_out}>&-
    ! grep -m 1 '"t":"disconnected"' "$directory/guest" >&2 ||
        fail 70 "the front of Rib House was disconnected."
    say "a front of Rib House has noticed nothing"
}

# write_app: writes the app anew; the products of its builds stay.
write_app() {
    mkdir -p "$app"
    find "$app" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
    "$client" new app Kettle --directory "$app" --napkin "$root" >"$directory/said"
}

lint() {
    ${SWIFT:-swift} format lint --strict --recursive "$app/Package.swift" "$app/Sources" "$app/Tests"
}

# follow PART: uses the files of a part of the tutorial, as its reader does.
follow() {
    local file target
    for file in "$tutorial/$1"-*.swift; do
        target=$(find "$app/Sources" "$app/Tests" -name "$(basename "${file#"$tutorial/$1-"}")")
        [ -n "$target" ] || fail 70 "the app has no file for $(basename "$file") of the tutorial."
        cp "$file" "$target"
    done
    make_app test
    expect_tests "$2"
    say "the tutorial's app, part \"$1\", passes its $2 tests"
}

# check_length: limits the lines that a user has written, at first and after the tutorial's first part.
check_length() {
    local lines
    lines=$(cat "$app/Sources/KettleContract/Kettle.swift" \
        "$app/Sources/KettleFeature/KettleInteractor.swift" \
        "$app/Sources/KettleFront/KettleScreen.swift" | grep -vcE '^ *(//.*)?$')
    say "a user writes $lines lines"
    [ "${1:-}" != --promised ] || [ "$lines" -le "$lines_max" ] ||
        fail 70 "a user writes $lines lines; $lines_max were promised."
}

share_build
write_app
check_length --promised
lint
make_app test
expect_tests 3
make_refused schema-check 66 'there is no lock file'

sources=./Sources/Kettle
app_root=${sources}Feature/KettleApp.swift views=${sources}Front/KettleViews.swift
interactor=${sources}Feature/KettleInteractor.swift router=${sources}Feature/KettleRouter.swift
add_feature History 5 "$app_root $router $views"
add_feature Sync 3 "$app_root $router" --headless
add_feature Order 5 "$app_root $interactor $router $views" --push --arguments id:Int,title:String
add_feature Menu 5 "$app_root $router $views" --tab
add_feature Guests 5 "$app_root $router $views" --tab
add_feature Clock 5 "$app_root $router $views" --parent Kettle
add_feature Place 5 "$app_root $router $views" --per-front
add_feature Empty 5 "$app_root $router $views" --bare
# Children of features that were written before.
parent=${sources}Feature/Order
add_feature Note 5 "$app_root ${parent}Interactor.swift ${parent}Router.swift $views" \
    --modal --parent Order --arguments 'text:String?'
parent=${sources}Feature/Menu
add_feature Line 5 "$app_root ${parent}Interactor.swift ${parent}Router.swift $views" --push --parent Menu
parent=${sources}Feature/Place
add_feature Sign 5 "$app_root ${parent}Interactor.swift ${parent}Router.swift $views" --push --parent Place --bare
lint
# What a person adds: an event that shows the order.
sed -i 's/^        state.count += 1$/&\n        await router?.routeToOrder(id: state.count, title: "first")/' \
    "$app/$interactor"
make_app test
expect_tests 26
make_app schema-lock
make_app schema-check
cp "$app/schema.lock" "$directory/schema.lock"

# Installed while napkind runs and another app is in use, and used by the program of its own front.
start_daemon
attach_guest
make_app install PREFIX="$directory" CONF=debug
coproc CONTROL { exec "$directory/bin/kettle-client" attach kettle --control --socket "$socket"; }
clients+=("$CONTROL_PID") in=${CONTROL[0]} out=${CONTROL[1]}
drive kettle.kettle 'didTapAdd()' mount '"args":{"id":1,"title":"first"}'
drive kettle.history 'didTapToggle()' state '"value":true'
drive kettle.order 'didTapToggle()' state '"value":true'
kill_worker
expect 'the pushed page after kill -9' mount '"args":{"id":1,"title":"first"}'
expect 'its state' state '"value":true'
drive kettle.order 'didTapBack()' unmount '"node"'
tree=$("$client" tree --socket "$socket")
[[ $tree == *kettle.sync* ]] || fail 70 "the headless feature is not in the tree: $tree"
say "the headless feature runs"
exec {out}>&-
wait "${clients[1]}" || fail 70 "kettle-client ended with status $?."
clients=("$guest")
make_app uninstall PREFIX="$directory"
[[ $("$client" apps --socket "$socket") == *'its manifest has gone'* ]] ||
    fail 70 "kettle is still installed."
guest_leaves

# The tutorial's reader has no such features.
write_app
follow switch 3
check_length --promised
follow boil 4
"$client" new feature Tea --push --arguments cups:Int --directory "$app" >"$directory/said"
cmp "$tutorial/second-KettleRouter.swift" "$app/$router" ||
    fail 70 "the tutorial's router is not the one that is written."
follow second 7
lint

# Its last part: the same event ends two workers, is set aside, and is refused by the mended program.
make_app install PREFIX="$directory" CONF=debug
fill() { "$client" send tea kettle.kettle 'fill(cups:)' "$@" --socket "$socket"; }
# says STATUS TEXT COMMAND… : how a command must end, and what it must print.
says() {
    local status=0
    "${@:3}" >"$directory/said" 2>&1 || status=$?
    [ "$status" -eq "$1" ] && { [ -z "$2" ] || grep -q "$2" "$directory/said"; } ||
        fail 70 "${*:3} ends with status $status, and says: $(cat "$directory/said")"
    say "status $status${2:+, $2}"
}
"$client" restart kettle --force --socket "$socket" >"$directory/said"
says 0 '' fill 1 --create --app kettle
says 70 'quarantined: .*receipt' fill 9223372036854775807
receipt=$(sed -E 's/.*receipt ([0-9]+).*/\1/' "$directory/said")
says 0 '' fill 1
says 0 'fill.*9223372036854775807' "$client" crash show kettle "$receipt" --socket "$socket"
says 0 'KettleInteractor.fill' "$client" crash show kettle "$receipt" --socket "$socket"
says 0 '^the same death' "$client" crash replay kettle "$receipt" --socket "$socket"
follow crash 7
says 1 '^no death' "$client" crash replay kettle "$receipt" --socket "$socket" \
    --program "$root/.build/debug/kettle-worker"
make_app uninstall PREFIX="$directory"
lint

# The tutorial's contract is another one than that of the app with all features.
cp "$directory/schema.lock" "$app"
make_refused schema-check 76 'breaks older fronts'
make_refused schema-lock 76 'nothing was written'
make_app schema-lock BREAKING=1
make_app schema-check
