#!/usr/bin/env bash
# setup.sh: installs what building needs, on Debian and Ubuntu; quick if everything is there.
#
# Usage   scripts/setup.sh [--python] [--packages] [--tests] [--peers] [--plots]
#                          [--pictures] [--ratchet]
#         --python adds what the front in Python and its checks need, in .build/python;
#         --packages what Debian packages are made and tested with;
#         --tests both, and what only the tests need;
#         --peers the systems that make bench-peers measures beside napkin;
#         --plots what make scale draws with;
#         --pictures what make screenshots needs;
#         --ratchet what make ratchet and make ways count with
# Exit    0 everything is there · 69 something is missing that may not be installed here; the
#         exact command to install it is printed

set -u

readonly UNAVAILABLE=69  # EX_UNAVAILABLE of sysexits.h
readonly SWIFT_MINIMUM=6.3
readonly PYTHON_MINIMUM='3, 11'  # as a tuple
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

# need_python: Python with venv, which Debian packages separately.
need_python() {
    need_program python3 python3
    python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || missing+=(python3-venv)
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

# The words before apt-get: none for root, sudo for others, if it works.
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

# The Python front and its tools, in a separate virtual environment. It contains a note of what was
# installed and from where, so that all of this is skipped if nothing has changed.
readonly root=$(cd "$(dirname "$0")/.." && pwd)
readonly virtual=$root/.build/python

set_up_python() {
    if ! python3 -c "import sys; sys.exit(sys.version_info < ($PYTHON_MINIMUM))"; then
        say "this is $(python3 --version); Python ${PYTHON_MINIMUM/, /.} or newer is needed."
        say "put one first on the PATH."
        exit "$UNAVAILABLE"
    fi
    local wanted
    wanted=$(printf '%s\n' "$root" "$(python3 --version)"; cat "$root/Protocol/python/pyproject.toml")
    [ "$(cat "$virtual/wanted" 2>/dev/null)" = "$wanted" ] &&
        "$virtual/bin/python" -c 'import napkin_front' 2>/dev/null && return 0
    say "setting up Python in .build/python"
    local install=("$virtual/bin/python" -m pip install --quiet --disable-pip-version-check
        --editable "$root/Protocol/python[dev]")
    if python3 -m venv --clear "$virtual" >&2 && "${install[@]}" </dev/null >&2; then
        printf '%s\n' "$wanted" >"$virtual/wanted"
        return 0
    fi
    say "pip failed, see above; it needs the network once. When that is put right, run:"
    printf '  python3 -m venv --clear %q && %s\n' "$virtual" "${install[*]@Q}" >&2
    exit "$UNAVAILABLE"
}

# The rules of axe-core, which tests run on pages: the package's one file, without what it needs.
readonly AXE=axe-playwright-python==0.1.8

set_up_axe() {
    "$virtual/bin/python" -m pip freeze --disable-pip-version-check 2>/dev/null |
        grep -qxF "$AXE" && return 0
    say "getting axe-core"
    local install=("$virtual/bin/python" -m pip install --quiet --disable-pip-version-check
        --no-deps "$AXE")
    "${install[@]}" </dev/null >&2 && return 0
    say "pip failed, see above; it needs the network once. When that is put right, run:"
    printf '  %s\n' "${install[*]@Q}" >&2
    exit "$UNAVAILABLE"
}

# Without pkg-config the libraries cannot be checked; apt-get skips those that are there.
need_program pkg-config pkg-config
need_library libuv libuv1-dev
need_library ncursesw libncurses-dev
need_library sqlite3 libsqlite3-dev
need_library vterm libvterm-dev
# The manual pages are made with it.
need_program python3 python3
wants_python= wants_packages= wants_axe=
for argument in "$@"; do
    case $argument in
    --python)
        wants_python=yes
        ;;
    --packages)
        wants_packages=yes
        ;;
    --tests)
        wants_python=yes wants_packages=yes wants_axe=yes
        need_program tmux tmux
        need_program vim.tiny vim-tiny
        need_program gdb gdb
        need_program Xvfb xvfb
        need_program xterm xterm
        need_program strace strace
        need_program zsh zsh
        need_program fish fish
        need_program groff groff-base
        need_program chromium chromium
        need_program /usr/sbin/nginx nginx-light
        need_program openssl openssl
        need_program curl curl
        # The server is not on the PATH.
        ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing+=(postgresql)
        # Only root's tests start an sshd, in a network namespace, and cut the power of a disk.
        if [ "$(id -u)" -eq 0 ]; then
            need_program cc gcc
            need_program ip iproute2
            need_program ssh openssh-client
            need_program /usr/sbin/sshd openssh-server
            need_program journalctl systemd
            /usr/bin/python3 -c 'import fusepy' >/dev/null 2>&1 || missing+=(python3-fusepy)
        fi
        ;;
    --plots)
        need_program python3 python3
        /usr/bin/python3 -c 'import matplotlib' >/dev/null 2>&1 || missing+=(python3-matplotlib)
        ;;
    --pictures)
        need_python
        need_program tmux tmux
        need_program chromium chromium
        [ -e /usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf ] ||
            missing+=(fonts-dejavu-core)
        ;;
    --ratchet)
        need_program python3 python3
        need_program valgrind valgrind
        need_program objcopy binutils
        ;;
    --peers)
        need_program g++ g++
        need_library libzmq libzmq3-dev
        need_library libnats libnats-dev
        need_program nats-server nats-server
        need_library libsystemd libsystemd-dev
        need_library capnp-rpc libcapnp-dev
        need_program capnp capnproto
        need_library grpc++ libgrpc++-dev
        need_library protobuf libprotobuf-dev
        need_program protoc protobuf-compiler
        need_program grpc_cpp_plugin protobuf-compiler-grpc
        need_program erlc erlang-base
        need_program python3 python3
        ;;
    *)
        say "unknown argument: $argument; there are --python, --packages, --tests, --peers, --plots,"
        say "--pictures, --ratchet"
        exit 64
        ;;
    esac
done
[ -z "$wants_python" ] || need_python
if [ -n "$wants_packages" ]; then
    need_program dpkg-shlibdeps dpkg-dev
    need_program debootstrap debootstrap
    need_program mandoc mandoc
    need_program python3 python3
fi

[ "${#missing[@]}" -eq 0 ] || install_missing
check_swift
[ -z "$wants_python" ] || set_up_python
[ -z "$wants_axe" ] || set_up_axe
