#!/usr/bin/env bash
# package-check.sh: looks into the packages that package.sh has made, and runs their programs unpacked.
#
# Usage   scripts/package-check.sh DIRECTORY
# Exit    0 everything is right · 70 something is wrong, and is named
# Files   everything lives in a new directory under /tmp, removed at the end

set -eu -o pipefail

if [ "$#" -ne 1 ] || ! main=$(ls "$1"/napkin_*.deb) || ! development=$(ls "$1"/napkin-dev_*.deb); then
    printf 'package-check: the directory of two packages is needed; use "make package".\n' >&2
    exit 64
fi
cd "$(dirname "$0")/.."
name=package-check
. scripts/own-daemon.sh
root=$directory/root bin=$directory/root/usr/bin

# expect WHAT WANTED FOUND
expect() { [ "$2" = "$3" ] || fail 70 "$1: $(diff <(echo "$2") <(echo "$3") || true)"; }

# What the package has, without directories and documents that every package has.
expect "files of napkin" "$(cat <<'FILES'
./usr/bin/napkin-client
./usr/bin/napkin-keeper
./usr/bin/napkind
./usr/share/bash-completion/completions/napkin-client
./usr/share/bash-completion/completions/napkind
./usr/share/doc/napkin/copyright
./usr/share/fish/vendor_completions.d/napkin-client.fish
./usr/share/fish/vendor_completions.d/napkind.fish
./usr/share/man/man1/napkin-client.1.gz
./usr/share/man/man8/napkind.8.gz
./usr/share/systemd/user/napkind.service
./usr/share/systemd/user/napkind.socket
./usr/share/zsh/vendor-completions/_napkin-client
./usr/share/zsh/vendor-completions/_napkind
FILES
)" "$(dpkg-deb -c "$main" | awk '$1 !~ /^d/ { print $6 }' | LC_ALL=C sort)"
expect "files of others in napkin-dev" "" "$(dpkg-deb -c "$development" | awk '$1 !~ /^d/ { print $6 }' |
    grep -vE '^\./usr/share/(doc/napkin-dev$|napkin/package/([A-Z]+\.md|Package.swift|LICENSE|Sources/|daemon/|docs/|Protocol/(Napkin|[A-Z]+\.md$|app.schema.json$)))')"
expect "owners and modes" "" "$(for package in "$main" "$development"; do dpkg-deb -c "$package"; done |
    grep -vE '^(d|-)rw[x-]r-[x-]r-[x-] root/root|^l' || true)"

dpkg-deb -x "$main" "$root"
dpkg-deb -x "$development" "$root"
version=$(dpkg-deb -f "$main" Version)
expect "version of napkin-client" "napkin-client $version" "$("$bin/napkin-client" --version)"
expect "version of napkind" "napkind $version" "$("$bin/napkind" --version)"
for library in libc6 libncursesw6 libsqlite3-0 libuv1; do
    [[ $(dpkg-deb -f "$main" Depends) == *"$library"* ]] || fail 70 "napkin does not depend on $library."
done
[[ $(dpkg-deb -f "$development" Depends) == "napkin (= $version),"* ]] ||
    fail 70 "napkin-dev does not depend on napkin."
grep -qx 'ExecStart=/usr/bin/napkind' "$root/usr/share/systemd/user/napkind.service" ||
    fail 70 "the unit starts another program."
# It would be inherited for good: napkind sets it on workers itself, as their manifests say.
! grep -q '^NoNewPrivileges' "$root/usr/share/systemd/user/napkind.service" ||
    fail 70 "the unit takes newPrivileges from all manifests."
for page in man1/napkin-client.1 man8/napkind.8; do
    zcat "$root/usr/share/man/$page.gz" | mandoc -T utf8 | grep -q "napkin $version" ||
        fail 70 "$page is not the manual of $version."
done

start_daemon
[[ $("$bin/napkin-client" ping --socket "$socket") == *"$version"* ]] || fail 70 "napkind does not answer."

# An app is written and finds its dependency, and only that.
"$bin/napkin-client" new app Kettle --directory "$directory/Kettle" >/dev/null
grep -qF "path: \"$root/usr/share/napkin/package\"" "$directory/Kettle/Package.swift" ||
    fail 70 "a new app does not use the installed package."
expect "targets without sources in napkin-dev" "" "$(
    "${SWIFT:-swift}" package --package-path "$root/usr/share/napkin/package" dump-package |
        python3 -c 'import json, os, sys
for target in json.load(sys.stdin)["targets"]:
    path = target.get("path") or "Sources/" + target["name"]
    if target["type"] != "test" and not path.startswith("Tests/"):
        if not os.path.isdir(os.path.join(sys.argv[1], path)):
            print(path)' "$root/usr/share/napkin/package"
)"
printf 'package-check: napkin and napkin-dev %s: %s\n' "$version" "$(du -ch "$main" "$development" | tail -n 1)"
