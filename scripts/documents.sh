#!/usr/bin/env bash
# documents.sh: writes the manual pages and the shells' completions of the built programs, or the
# completions of an app's client.
#
# Usage   scripts/documents.sh BIN SHARE [CLIENT]
#         BIN has napkind and napkin-client, or CLIENT; SHARE receives man/man1, man/man8,
#         bash-completion/completions, zsh/site-functions and fish/vendor_completions.d
# Exit    the status of the first program that fails

set -eu -o pipefail

if [ "$#" -ne 2 ] && [ "$#" -ne 3 ]; then
    printf 'documents: two directories are needed: that of the programs, and share\n' >&2
    exit 64
fi
scripts=$(dirname "$0")
readonly bin=$1 share=$2 scripts

# page PROGRAM SECTION
page() {
    local directory=$share/man/man$2 version
    install -d "$directory"
    version=$("$bin/$1" --version)
    "$bin/$1" --experimental-dump-help |
        "$scripts/manual.py" "${version##* }" "$scripts/manual/$1.$2" >"$directory/$1.$2"
    chmod 644 "$directory/$1.$2"
}

# completion PROGRAM SHELL FILE
completion() {
    local file=$share/$3
    install -d "$(dirname "$file")"
    "$bin/$1" --generate-completion-script "$2" >"$file"
    chmod 644 "$file"
}

if [ "$#" -eq 2 ]; then
    page napkin-client 1
    page napkind 8
fi
for program in ${3:-napkin-client napkind}; do
    completion "$program" bash "bash-completion/completions/$program"
    completion "$program" zsh "zsh/site-functions/_$program"
    completion "$program" fish "fish/vendor_completions.d/$program.fish"
done
