#!/usr/bin/env bash
# fuzz.sh: builds the fuzz targets with libFuzzer and AddressSanitizer, and runs each.
#
# Usage   scripts/fuzz.sh [--seconds N] [TARGET…]     60 seconds each; all targets if none is named
# Output  .build/fuzz/corpus/TARGET grows from run to run; a finding is written to .build/fuzz/findings
# Exit    0 no finding · 64 usage · 70 a finding, or it could not be built

set -eu -o pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
swiftc="$(dirname "$(command -v "$swift")")/swiftc"
seconds=60
targets=()
while [ $# -gt 0 ]; do
    case $1 in
    --seconds)
        seconds=${2:?fuzz: --seconds needs a number}
        shift
        ;;
    -*)
        printf 'usage: scripts/fuzz.sh [--seconds N] [TARGET…]\n' >&2
        exit 64
        ;;
    *) targets+=("$1") ;;
    esac
    shift
done
# The cases of FuzzTarget, one per line.
known=$(sed -n 's/^    case \([a-z]*\)$/\1/p' Tests/Proofs/Support/FuzzTargets/FuzzTarget.swift)
[ "${#targets[@]}" -gt 0 ] || mapfile -t targets <<<"$known"
for target in "${targets[@]}"; do
    grep -qx "$target" <<<"$known" && continue
    printf 'fuzz: there is no target %s; there are: %s\n' "$target" "$(tr '\n' ' ' <<<"$known")" >&2
    exit 64
done

out=$PWD/.build/fuzz
mkdir -p "$out"/{modules,objects,corpus,findings,cache}

# The package's own build provides the macros; the fuzzed code is built here, with the sanitizers.
"$swift" build --package-path Tests/Proofs --scratch-path .build --disable-build-manifest-caching \
    --target FuzzTargets >"$out/build.log" 2>&1 || { cat "$out/build.log" >&2; exit 70; }
plugin=$("$swift" build --show-bin-path)/NapkinMacros-tool

flags=(
    -O -wmo -g -parse-as-library -swift-version 6 -package-name napkin -enable-testing
    -sanitize=address,fuzzer -module-cache-path "$out/cache" -I "$out/modules"
    -Xcc "-fmodule-map-file=$PWD/Sources/Runtime/CLibuv/module.modulemap"
    -Xcc "-fmodule-map-file=$PWD/Sources/Runtime/CPostgres/module.modulemap"
    -Xcc "-fmodule-map-file=$PWD/Sources/Runtime/CSQLite/module.modulemap"
    -Xfrontend -load-plugin-executable -Xfrontend "$plugin#NapkinMacros"
)
for feature in NonisolatedNonsendingByDefault ExistentialAny InternalImportsByDefault \
    MemberImportVisibility; do
    flags+=(-enable-upcoming-feature "$feature")
done

# compile MODULE FOLDER_OR_FILE…: skipped if neither a file there nor an earlier module is newer.
newest=
compile() {
    local module=$1 object="$out/objects/$1.o"
    shift
    if [ -e "$object" ] && [ -z "$(find "$@" -name '*.swift' -newer "$object" -print -quit)" ] &&
        { [ -z "$newest" ] || [ ! "$newest" -nt "$object" ]; }; then
        newest=$object
        return
    fi
    printf 'fuzz: compiling %s\n' "$module" >&2
    find "$@" -name '*.swift' -print0 | sort -z | xargs -0 "$swiftc" "${flags[@]}" \
        -module-name "$module" -emit-module -emit-module-path "$out/modules/$module.swiftmodule" \
        -c -o "$object"
    newest=$object
}
compile NapkinCoding Protocol/NapkinCoding
compile NapkinProtocol Protocol/NapkinProtocol
compile NapkinTransport Sources/Runtime/NapkinTransport
compile NapkinCore Sources/Runtime/NapkinCore
compile NapkinLedger Sources/Runtime/NapkinLedger
compile NapkinRuntime Sources/Runtime/NapkinRuntime
compile NapkinFront Sources/Runtime/NapkinFront
# What browsers' bytes meet behind the HTTP library, which is fuzzed by its own project.
web=Sources/Views/NapkinWeb
compile NapkinWeb "$web"/Server/Web{Door,Limits,Origin,Request,Secret}.swift \
    "$web"/Tab/PageMessage.swift "$web"/HTML/{HTMLNode,PagePatch}.swift
compile FuzzTargets Tests/Proofs/Support/FuzzTargets
compile Fuzz Tests/Proofs/Fuzz
"$swiftc" -sanitize=address,fuzzer -use-ld=lld -o "$out/fuzz" "$out"/objects/*.o -luv -lsqlite3

python3 Tests/Proofs/Fuzz/seeds.py "$out/seeds"

status=0
for target in "${targets[@]}"; do
    mkdir -p "$out/corpus/$target"
    printf '\n== %s: %s seeds, %s s\n' "$target" \
        "$(find "$out/seeds/$target" -type f | wc -l)" "$seconds"
    NAPKIN_FUZZ=$target ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no "$out/fuzz" \
        -max_total_time="$seconds" -max_len=16384 -timeout=5 -rss_limit_mb=1024 \
        -malloc_limit_mb=64 -print_final_stats=1 -artifact_prefix="$out/findings/$target-" \
        "$out/corpus/$target" "$out/seeds/$target" >"$out/$target.log" 2>&1 || status=70
    grep -E '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)|SUMMARY|ERROR' \
        "$out/$target.log" || true
    [ "$status" -eq 0 ] || { tail -n 40 "$out/$target.log" >&2; break; }
done
exit "$status"
