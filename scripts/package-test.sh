#!/usr/bin/env bash
# package-test.sh: installs, uses, upgrades and removes the packages in a fresh Debian.
#
# Usage   scripts/package-test.sh PACKAGES BIN, as root
#         PACKAGES has what package.sh has made, BIN the programs of Rib House, built with the same
#         configuration
# Files   .build/package-test keeps the fresh system, as an archive, and the packages that it needs;
#         everything else lives in a new directory under /tmp, removed at the end
# Exit    0 everything is right · 70 something is wrong, and is named
#
# The system is this machine's release of Debian, so that its C library fits. Swift is this machine's,
# mounted read-only, and so are the directories that git is configured to use for addresses. All of it
# happens in new namespaces of mounts and processes, whose end is the end of every process.

set -eu -o pipefail

if [ "${PACKAGE_TEST_INSIDE:-}" != yes ]; then
    if [ "$#" -ne 2 ] || [ "$(id -u)" -ne 0 ]; then
        printf 'package-test: two directories are needed, and root; use "make package-test".\n' >&2
        exit 64
    fi
    directory=$(mktemp -d /tmp/napkin-package-test.XXXXXX)
    trap 'rm -rf --one-file-system -- "$directory"' EXIT
    PACKAGE_TEST_INSIDE=yes unshare --mount --pid --fork --kill-child --propagation private \
        "$0" "$(realpath "$1")" "$(realpath "$2")" "$directory" </dev/null
    exit
fi

readonly packages=$1 bin=$2 directory=$3 system=$3/system home=$3/system/srv/ann
cd "$(dirname "$0")/.."
readonly cache=$PWD/.build/package-test seconds_max=60
began=$SECONDS

say() { printf 'package-test: %4d s  %s\n' "$((SECONDS - began))" "$*"; }
fail() {
    printf 'package-test: %s\n' "$*" >&2
    cat "$home"/.local/state/napkin/napkind.log >&2 || true
    exit 70
}

inside() { chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
# ann COMMAND: as a user who has just logged in.
ann() { inside su -l ann -c "export LC_ALL=C.UTF-8 PATH=$swift_bin:\$PATH; $1"; }
quiet() { "$@" >"$directory/log" 2>&1 || { cat "$directory/log" >&2 && fail "this failed: $*"; }; }

# expect WHAT PATTERN TEXT
expect() { [[ $3 == *$2* ]] || fail "$1: no '$2' in: $3"; }

# The programs that a person has who installs packages, writes apps and builds them with Swift.
needed=bash-completion,binutils,ca-certificates,git,libc6-dev,libcurl4,libedit2,libncurses6,libpython3-stdlib
needed+=,libsqlite3-0,libstdc++-12-dev,libxml2,make,man-db,systemd,tzdata,zlib1g-dev,zsh
readonly needed

make_system() {
    local codename mirror archive
    codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    mirror=$(apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" "Codename: $codename" |
        head -n 1)
    archive=$cache/$codename-$(md5sum <<<"$mirror $needed" | cut -c 1-8).tar
    mkdir -p "$cache/archives" "$system"
    if [ ! -e "$archive" ]; then
        say "fetching $codename, once"
        quiet debootstrap --variant=minbase --include="$needed" "$codename" "$system" "$mirror"
        inside apt-get clean
        tar -C "$system" -cf "$archive.new" . && mv "$archive.new" "$archive"
    else
        tar -C "$system" -xf "$archive"
    fi
    mount -t proc proc "$system/proc"
    mount -t tmpfs tmpfs "$system/tmp"
    mount --rbind /dev "$system/dev"
    mount --bind "$cache/archives" "$system/var/cache/apt/archives"
    cp /etc/resolv.conf "$system/etc/resolv.conf"
    inside useradd --create-home --home-dir /srv/ann --shell /bin/bash ann
    say "a fresh $codename"
}

# share PATH: shows a directory of this machine in the system, read-only.
share() {
    mkdir -p "$system$1"
    mount --bind "$1" "$system$1" && mount -o remount,bind,ro "$system$1"
}

# Swift, and where git finds packages if it is told to look elsewhere.
share_swift() {
    local swift key target
    # They belong to somebody else.
    inside git config --system safe.directory '*'
    swift=$(realpath "$(command -v "${SWIFT:-swift}")")
    swift_bin=$(dirname "$swift")
    share "${swift_bin%/usr/bin}"
    while read -r key target; do
        [ ! -d "${key:4:-10}" ] || mountpoint -q "$system${key:4:-10}" || share "${key:4:-10}"
        inside git config --system --add "$key" "$target"
    done < <(git config --get-regexp '^url\..*\.insteadof$' || true)
}

# install_packages DIRECTORY: as apt does, with what they need.
install_packages() {
    mkdir -p "$system/tmp/packages"
    cp "$1"/*.deb "$system/tmp/packages"
    quiet inside apt-get -q -y --no-install-recommends install $(cd "$system" && ls ./tmp/packages/*.deb |
        sed 's|^\.||')
    rm -r "$system/tmp/packages"
}

# newer: writes the same packages with a higher version.
newer() {
    local package root
    mkdir "$directory/newer"
    for package in "$packages"/*.deb; do
        root=$directory/unpacked
        dpkg-deb -R "$package" "$root"
        sed -i -E "s/^(Version: .*)/\1+1/; s/\(= ([^)]*)\)/(= \1+1)/" "$root/DEBIAN/control"
        quiet dpkg-deb --root-owner-group -Zgzip -z1 --build "$root" "$directory/newer"
        rm -r "$root"
    done
}

# start_front APP: attaches a script's front to it.
start_front() {
    coproc FRONT { ann "exec napkin-client attach $1 --control" 2>&1; }
    out=${FRONT[1]} in=${FRONT[0]}
}
# reads TEXT…: until there is a line with all of these.
reads() {
    local line text missing
    while IFS= read -r -t "$seconds_max" -u "$in" line; do
        missing=
        for text in "$@"; do [[ $line == *"$text"* ]] || missing=$text; done
        [ -n "$missing" ] || return 0
    done
    fail "the front did not say: $*"
}
# event FEATURE METHOD
event() {
    printf '{"t":"event","id":1,"feature":"%s","method":"%s","args":[]}\n' "$1" "$2" >&"$out"
}
stop_front() {
    exec {out}>&-
    wait "$FRONT_PID" || fail "the front ended with status $?."
}

daemon_pid() {
    local text
    text=$(ann 'napkin-client ping')
    [[ $text =~ process\ ([0-9]+) ]] || fail "napkind has no process: $text"
    printf '%s' "${BASH_REMATCH[1]}"
}

swift_bin=/usr/bin
mount -t proc proc /proc
make_system
# Programs of a debug build need it at once.
[[ $(ldd "$bin/rib-house") != *libswiftCore* ]] || share_swift

install_packages "$packages"
version=$(inside dpkg-query -W -f '${Version}' napkin)
expect "version" "napkin-client $version" "$(ann 'napkin-client --version')"
expect "manual" /usr/share/man/man1/napkin-client.1.gz "$(ann 'man -w napkin-client')"
expect "manual" /usr/share/man/man8/napkind.8.gz "$(ann 'man -w napkind')"
expect "bash" napkin-client "$(ann \
    'bash -c ". /usr/share/bash-completion/bash_completion; _completion_loader napkin-client; complete -p napkin-client"')"
expect "zsh" _napkin-client "$(ann \
    "zsh -fc 'autoload -U compinit; compinit -D -u; print \$_comps[napkin-client]'")"
expect "units" "" "$(ann 'mkdir -p /tmp/run && XDG_RUNTIME_DIR=/tmp/run systemd-analyze --user \
    --man=no verify napkind.socket napkind.service 2>&1')"
say "installed $version: manual, completions and units are right"

mkdir "$home/rib-house"
cp "$bin/rib-house" "$bin/rib-house-worker" examples/RibHouse/rib-house.json "$home/rib-house"
ann 'cd rib-house && napkin-client install rib-house.json --bin .' >/dev/null
start_front rib-house
reads '"mount"' rib-house.logged-out
event rib-house.logged-out 'didTapLogin()'
reads '"mount"' rib-house.logged-in
old=$(daemon_pid)
say "Rib House runs under napkind $old"

newer
install_packages "$directory/newer"
expect "version" "napkin-client $version+1" "napkin-client $(inside dpkg-query -W -f '${Version}' napkin)"
event rib-house.logged-in 'didTapPitBoard()'
reads '"mount"' rib-house.pit-board
expect "program" "(deleted)" "$(readlink "/proc/$old/exe")"
expect "restart" "runs as process" "$(ann 'napkin-client restart napkind')"
new=$(daemon_pid)
[ "$new" != "$old" ] || fail "napkind $old is still there."
expect "program" /usr/bin/napkind "$(readlink "/proc/$new/exe")"
[[ $(readlink "/proc/$new/exe") != *deleted* ]] || fail "napkind is not the new program."
event rib-house.pit-board 'didTapBack()'
reads '"unmount"'
expect "sessions" rib-house "$(ann 'napkin-client ls')"
stop_front
say "upgraded: napkind $new is the new program, and the session went on"

[ "$swift_bin" != /usr/bin ] || share_swift
expect "new app" Kettle "$(ann 'napkin-client new app Kettle --directory Kettle')"
expect "manifest" /usr/share/napkin/package "$(cat "$home/Kettle/Package.swift")"
quiet ann 'cd Kettle && make test'
say "a new app was built and tested with the development files"
quiet ann 'cd Kettle && make install CONF=debug'
start_front kettle
reads '"mount"' kettle.kettle
event kettle.kettle 'didTapAdd()'
reads '"state"' 1
stop_front
quiet ann 'cd Kettle && make uninstall'
say "it was installed, used and uninstalled"

inside dpkg -L napkin napkin-dev | grep -E '/(napkin|_napkin)' >"$directory/files"
quiet inside apt-get -q -y purge napkin napkin-dev
while IFS= read -r file; do
    [ ! -e "$system$file" ] || fail "$file is still there."
done <"$directory/files"
left=$(find "$system" -xdev -path "$home" -prune -o -name '*napkin*' -print)
[ -z "$left" ] || fail "this is left: $left"
[ -e "$home/.local/share/napkin/apps/rib-house.json" ] || fail "the user's manifest is gone."
say "purged: only the user's files are left"
kill -TERM "$new"
