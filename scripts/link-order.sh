#!/usr/bin/env bash
# link-order.sh: lists which functions an event runs through, napkin's and the runtime's.
#
# Usage   scripts/link-order.sh NAPKIN-BENCH           built by `make bench`; needs cc and nm
#         scripts/link-order.sh --check NAPKIN-BENCH   warns if the list is of another program
# Output  scripts/link-order.txt, which `make bench` and `make install` give to the linker: it
#         lays these functions side by side (BENCHMARKS.md, "Where a round trip goes")

set -eu -o pipefail

check=
if [ "${1-}" = --check ]; then
    check=1
    shift
fi
if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    printf 'usage: scripts/link-order.sh [--check] NAPKIN-BENCH\n' >&2
    exit 64
fi
readonly bench=$1 steps=30000 missing_percent=10
here=$(cd "$(dirname "$0")" && pwd)
directory=$(mktemp -d /tmp/napkin-order.XXXXXX)
if [ -n "$check" ]; then
    trap 'rm -r "$directory"' EXIT
    nm "$bench" | awk '{ print ".text." $NF }' | sort -u >"$directory/there"
    grep 'Napkin' "$here/link-order.txt" | sort -u >"$directory/listed"
    listed=$(wc -l <"$directory/listed")
    missing=$(comm -23 "$directory/listed" "$directory/there" | wc -l)
    [ $((missing * 100)) -le $((listed * missing_percent)) ] ||
        printf '%s of %s functions in scripts/link-order.txt are gone: make it anew\n' \
            "$missing" "$listed" >&2
    exit 0
fi
. "$here/bench-processes.sh"

cc -O2 -o "$directory/follow" "$here/link-order.c"
# Each function has a separate section, .text.NAME. A name that no longer exists does no harm.
for side in "$worker" "$front"; do "$directory/follow" "$side" "$steps"; done |
    awk '!seen[$0]++' |
    sed 's/^/.text./' >"$directory/order"
mv "$directory/order" "$here/link-order.txt"
printf '%s functions in %s\n' "$(wc -l <"$here/link-order.txt")" "$here/link-order.txt"
