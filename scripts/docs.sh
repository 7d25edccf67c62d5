#!/usr/bin/env bash
# docs.sh: builds the documentation's site, articles, tutorial and the libraries' symbols.
#
# Usage   scripts/docs.sh [--check]     after a build of everything
#         --check builds it silently unless something is wrong
# Files   writes .build/docs: static files, for any web server
# Exit    0 built, and every link leads somewhere · 65 something is wrong with the documentation

set -eu -o pipefail

swift=${SWIFT:-swift}
readonly DATA=65  # EX_DATAERR of sysexits.h
readonly work=.build/documentation site=.build/docs
# Each links to those before it.
readonly modules=(NapkinCoding NapkinFoundation NapkinCore NapkinSystem NapkinWorker NapkinFront
    NapkinTesting NapkinElements NapkinTerminal NapkinClient Napkin)

log=$(mktemp)
trap 'rm -f -- "$log"' EXIT
rm -rf -- "$site" "$work"
mkdir -p "$work"

tools=$(dirname "$(readlink -f "$(command -v "$swift")")")
bin=$("$swift" build --show-bin-path)
target=$("$swift" -print-target-info | python3 -c 'import json, sys
print(json.load(sys.stdin)["target"]["triple"])')
maps=()
while read -r map; do maps+=(-Xcc "-fmodule-map-file=$map"); done < <(
    find Sources .build/checkouts/*/Sources "$bin"/*.build -name module.modulemap ! -path "*.build/include/*")

# convert MODULE: an archive of its symbols and articles.
archives=()
convert() {
    local module=$1 catalog known=()
    catalog=$(find Sources -name "$module.docc")
    for archive in "${archives[@]}"; do known+=(--dependency "$archive"); done
    mkdir "$work/$module"
    "$tools/swift-symbolgraph-extract" -module-name "$module" -I "$bin/Modules" "${maps[@]}" \
        -target "$target" -minimum-access-level public -output-dir "$work/$module"
    "$tools/docc" convert ${catalog:+"$catalog"} --fallback-display-name "$module" \
        --fallback-bundle-identifier "$module" --additional-symbol-graph-dir "$work/$module" \
        --enable-experimental-external-link-support "${known[@]}" \
        --transform-for-static-hosting --output-path "$work/$module.doccarchive"
    archives+=("$work/$module.doccarchive")
}

status=0
for module in "${modules[@]}"; do convert "$module" || status=$?; done >"$log" 2>&1
"$tools/docc" merge "${archives[@]}" --synthesized-landing-page-name napkin \
    --output-path "$site" >>"$log" 2>&1 || status=$?

# DocC calls a link that leads nowhere a warning.
if [ "$status" -ne 0 ] || grep -qE '^(warning|error):' "$log"; then
    cat "$log" >&2
    printf 'docs: the documentation has mistakes; they are named above.\n' >&2
    exit "$DATA"
fi
[ "${1:-}" = --check ] && exit 0
cat <<TEXT
docs: the site is in $site. To read it:
  python3 -m http.server --directory $site 8000
  http://localhost:8000/documentation/napkin/
TEXT
