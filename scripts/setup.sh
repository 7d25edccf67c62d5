#!/usr/bin/env bash
# setup.sh: installs what building needs, on Debian and Ubuntu; quick when all is there.
#
# Usage   scripts/setup.sh [--tests]      --tests adds what only the tests need
# Exit    0 all there · 69 something is missing that may not be installed here; the
#         exact command to install it is printed

set -u

readonly UNAVAILABLE=69  # EX_UNAVAILABLE of sysexits.h
readonly SWIFT_MINIMUM=6.3
swift=${SWIFT:-swift}

missing=()

say() { printf 'setup: %s\n' "$*" >&2; }

# need_library PKG_CONFIG_NAME DEBIAN_PACKAGE
need_library() {
    pkg-config --exists "$1" 2>/dev/null || missing+=("$2")
}

# need_program PROGRAM DEBIAN_PACKAGE
need_program() {
    command -v "$1" >/dev/null 2>&1 || missing+=("$2")
}

check_swift() {
    local text version
    if ! text=$("$swift" --version 2>/dev/null); then
        say "there is no Swift here; Swift $SWIFT_MINIMUM or newer is needed."
        say "get it from https://www.swift.org/install/linux/ and put it on the PATH."
        exit "$UNAVAILABLE"
    fi
    version=$(sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' <<<"$text" | head -n 1)
    local oldest
    oldest=$(printf '%s\n%s\n' "$SWIFT_MINIMUM" "${version:-0}" | sort -V | head -n 1)
    if [ "$oldest" != "$SWIFT_MINIMUM" ]; then
        say "this is Swift ${version:-of an unknown version}; $SWIFT_MINIMUM or newer is needed."
        say "get it from https://www.swift.org/install/linux/ and put it first on the PATH."
        exit "$UNAVAILABLE"
    fi
}

# The words that go before apt-get: none for root, sudo for others, if it will do.
prefix=()
choose_prefix() {
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null 2>&1 || return 1
    prefix=(sudo)
    [ -t 0 ] && [ -z "${CI:-}" ] && return 0  # sudo may ask for a password
    sudo -n true 2>/dev/null
}

install_missing() {
    local install=(apt-get install -y --no-install-recommends "${missing[@]}")
    local by_hand="sudo apt-get update && sudo ${install[*]}"
    if ! command -v apt-get >/dev/null 2>&1; then
        say "missing (by their Debian names): ${missing[*]}"
        say "install them with this system's package manager, then run this again."
        exit "$UNAVAILABLE"
    fi
    if ! choose_prefix; then
        say "missing: ${missing[*]}; this user may not install them. Run:"
        printf '  %s\n' "$by_hand" >&2
        exit "$UNAVAILABLE"
    fi
    say "installing ${missing[*]}"
    local environment=(env DEBIAN_FRONTEND=noninteractive)
    local quiet=(-qq -o DPkg::Lock::Timeout=120)
    "${prefix[@]}" "${environment[@]}" apt-get "${quiet[@]}" update </dev/null >&2 ||
        say "apt-get update failed; going on with the package lists that are here"
    "${prefix[@]}" "${environment[@]}" "${install[@]}" "${quiet[@]}" </dev/null >&2 && return 0
    say "apt-get failed, see above. When that is put right, run:"
    printf '  %s\n' "$by_hand" >&2
    exit "$UNAVAILABLE"
}

# need_python: the Python of the tests, in .build/python, with the packages that they import.
need_python() {
    local home wanted=Protocol/python/requirements-test.txt made=.build/python
    home=$(cd "$(dirname "$0")/.." && pwd) || exit "$UNAVAILABLE"
    cmp -s "$home/$wanted" "$home/$made/requirements.txt" && return 0
    say "preparing $made"
    if ! python3 -m venv "$home/$made" ||
        ! "$home/$made/bin/pip" install --quiet --requirement "$home/$wanted" >&2; then
        say "$made cannot be prepared, see above. When that is put right, run this again."
        exit "$UNAVAILABLE"
    fi
    cp -- "$home/$wanted" "$home/$made/requirements.txt"
}

# Without pkg-config the libraries cannot be asked for; apt-get skips what is there.
need_program pkg-config pkg-config
need_library libuv libuv1-dev
need_library ncursesw libncurses-dev
tests=
for argument in "$@"; do
    case $argument in
    --tests)
        need_program tmux tmux
        need_program strace strace
        need_program python3 python3
        python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
        tests=yes
        ;;
    *)
        say "unknown argument: $argument (only --tests is known)"
        exit 64
        ;;
    esac
done

[ "${#missing[@]}" -eq 0 ] || install_missing
check_swift
[ -z "$tests" ] || need_python
