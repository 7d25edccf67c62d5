#!/usr/bin/env bash
# docs.sh: builds the documentation's site, articles, tutorial and the libraries' symbols.
#
# Usage   scripts/docs.sh [--check]
#         --check builds it silently unless something is wrong
# Files   writes .build/docs: static files, for any web server
# Exit    0 built, and every link leads somewhere · 65 something is wrong with the documentation

set -eu -o pipefail

swift=${SWIFT:-swift}
readonly DATA=65  # EX_DATAERR of sysexits.h
readonly site=.build/docs
modules=(Napkin NapkinClient NapkinCoding NapkinCore NapkinElements NapkinFoundation NapkinFront
    NapkinSystem NapkinTerminal NapkinTesting NapkinWorker)

targets=()
for module in "${modules[@]}"; do targets+=(--target "$module"); done

log=$(mktemp)
trap 'rm -f -- "$log"' EXIT
rm -rf -- "$site"
status=0
"$swift" package --allow-writing-to-directory "$site" generate-documentation "${targets[@]}" \
    --enable-experimental-combined-documentation --transform-for-static-hosting \
    --output-path "$site" >"$log" 2>&1 || status=$?

# DocC calls a link that leads nowhere a warning.
if [ "$status" -ne 0 ] || grep -qE '^(warning|error):' "$log"; then
    grep -vE '^\[[0-9]+/[0-9]+\]' "$log" >&2
    printf 'docs: the documentation has mistakes; they are named above.\n' >&2
    exit "$DATA"
fi
[ "${1:-}" = --check ] && exit 0
cat <<TEXT
docs: the site is in $site. To read it:
  python3 -m http.server --directory $site 8000
  http://localhost:8000/documentation/napkin/
TEXT
