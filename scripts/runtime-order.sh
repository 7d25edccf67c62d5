#!/usr/bin/env bash
# runtime-order.sh: finds anew which functions of Swift's runtime an event runs through.
#
# Usage   scripts/runtime-order.sh NAPKIN-BENCH   one that `make bench` built; needs cc and nm
# Output  scripts/runtime-order.txt, which `make bench` and `make install` give to the linker: it
#         lays these functions side by side (BENCHMARKS.md, "Where a round trip goes")

set -eu -o pipefail

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    printf 'usage: scripts/runtime-order.sh NAPKIN-BENCH\n' >&2
    exit 64
fi
readonly bench=$1 steps=30000
here=$(cd "$(dirname "$0")" && pwd)
directory=$(mktemp -d /tmp/napkin-order.XXXXXX)
. "$here/bench-processes.sh"

cc -O2 -o "$directory/follow" "$here/runtime-order.c"
# The runtime has a section for each function, .text.NAME; napkin's modules have one each.
for side in "$worker" "$front"; do "$directory/follow" "$side" "$steps"; done |
    awk '!seen[$0]++' |
    grep -v -i napkin |
    sed 's/^/.text./' >"$directory/order"
mv "$directory/order" "$here/runtime-order.txt"
printf '%s functions in %s\n' "$(wc -l <"$here/runtime-order.txt")" "$here/runtime-order.txt"
