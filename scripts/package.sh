#!/usr/bin/env bash
# package.sh: makes Debian packages of what `make install` and `make install-dev` put in place.
#
# Usage   scripts/package.sh CONF DIRECTORY
#         CONF is debug or release: what was built, or is built by `make`, whose variables it gets;
#         programs of a debug build need the Swift that built them
# Files   replaces napkin_VERSION_ARCHITECTURE.deb and napkin-dev_VERSION_all.deb in DIRECTORY
# Exit    the status of the first program that fails · 70 a program of a release needs a Swift

set -eu -o pipefail
umask 022

if [ "$#" -ne 2 ]; then
    printf 'package: a configuration and a directory are needed; use "make package".\n' >&2
    exit 64
fi
readonly conf=$1 packages=$2
cd "$(dirname "$0")/.."
stage=$(mktemp -d)
trap 'rm -rf -- "$stage"' EXIT
readonly stage main=$stage/napkin development=$stage/napkin-dev

install=(make --no-print-directory PREFIX=/usr CONF="$conf")
"${install[@]}" install DESTDIR="$main" >&2
"${install[@]}" install-dev DESTDIR="$development" >&2

# What a release's programs need that is in no Debian: Swift's libraries, a path of this machine.
foreign() { readelf -d "$main"/usr/bin/* | grep -E 'lib(swift|dispatch|Foundation)|R(UN)?PATH' |
    grep -vF '[$ORIGIN]'; }
if [ "$conf" = release ] && foreign >&2; then
    printf 'package: these programs need a Swift beside them; is --static-swift-stdlib missing?\n' >&2
    exit 70
fi

# Where Debian has these.
mv "$main/usr/share/zsh/site-functions" "$main/usr/share/zsh/vendor-completions"
find "$main/usr/share/man" -type f -exec gzip -9n {} +
install -D -m 644 LICENSE "$main/usr/share/doc/napkin/copyright"
install -d "$development/usr/share/doc"
ln -s napkin "$development/usr/share/doc/napkin-dev"

version=$("$main/usr/bin/napkin-client" --version)
version=${version##* }

# Which packages have the shared libraries; Swift's own, of a debug build, are in none.
depends() {
    mkdir "$stage/debian" && touch "$stage/debian/control"
    (cd "$stage" && dpkg-shlibdeps -O --ignore-missing-info \
        "$main"/usr/bin/* 2>"$stage/warnings") ||
        { cat "$stage/warnings" >&2 && return 1; }
}
libraries=$(depends)

# package ROOT COMPRESSION FIELD…: makes the package of that directory; its name is the directory's.
package() {
    local root=$1 compression=$2
    shift 2
    install -d "$root/DEBIAN" "$packages"
    rm -f -- "$packages/$(basename "$root")"_*.deb
    (cd "$root" && find usr -type f -exec md5sum {} +) >"$root/DEBIAN/md5sums"
    printf '%s\n' "Package: $(basename "$root")" "Version: $version" \
        "Maintainer: The authors of napkin <napkin@localhost>" "Priority: optional" \
        "Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)" "$@" >"$root/DEBIAN/control"
    dpkg-deb --root-owner-group -Zxz -z"$compression" --build "$root" "$packages" >&2
}

package "$main" "$([ "$conf" = release ] && echo 6 || echo 0)" "Section: utils" \
    "Architecture: $(dpkg --print-architecture)" "Depends: ${libraries#*=}" \
    "Suggests: libpq5, napkin-dev (= $version)" \
    "Description: apps whose logic outlives their screens" \
    " The daemon napkind, which finds apps and runs their workers, and napkin-client," \
    " which attaches a terminal, a pipe or a script to them."
package "$development" 6 "Section: devel" "Architecture: all" \
    "Depends: napkin (= $version), libncurses-dev, libsqlite3-dev, libuv1-dev, libvterm-dev, make, pkg-config" \
    "Description: apps whose logic outlives their screens - development files" \
    " The sources of the Swift package that apps are built with. What" \
    " 'napkin-client new app' writes uses them. Swift 6.3 is needed to build."
printf 'packages are in %s\n' "$packages"
