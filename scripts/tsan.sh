#!/usr/bin/env bash
# tsan.sh: runs the promises over every link, and the unit tests below them, under ThreadSanitizer.
#
# Usage   scripts/tsan.sh [FILTER]      the tests to run; by default all that share memory
#         NAPKIN_SEQUENCES=N            random sequences of the equivalence test, 200 by default
# Needs   a separate build in .build/tsan: ten minutes the first time
# Exit    0 no test failed and no process reported a race, the workers' included · 66 a race
#         · otherwise the tests' status

set -eu -o pipefail

swift=${SWIFT:-swift}
here=$(cd "$(dirname "$0")" && pwd)
filter=${1:-'^(ConformanceTests|RuntimeTests)\.'}
scratch=.build/tsan

for package in . Tests/Proofs; do
    "$swift" build --package-path "$package" --scratch-path "$scratch" --build-tests \
        --sanitize=thread --disable-build-manifest-caching
done
bin=$("$swift" build --sanitize=thread --scratch-path "$scratch" --show-bin-path)
# The toolchain's own: another clang may not know Swift's calling convention.
clang=$(dirname "$(readlink -f "$(command -v "$swift")")")/clang
"$clang" -shared -fPIC -O1 -Wall -Werror -o "$bin/libtsan_mutex.so" "$here/tsan_mutex.c" -ldl

reports=$(mktemp -d)
trap 'rm -rf -- "$reports"' EXIT
# Every process that a test starts inherits this, so that a worker's race is found as well.
export TSAN_OPTIONS="log_path=$reports/report exitcode=66"
export SWIFT_BACKTRACE=enable=no
# Everything is about ten times slower.
export NAPKIN_SEQUENCES="${NAPKIN_SEQUENCES:-200}"

status=0
for package in napkin proofs; do
    # 69: this one has none of them.
    LD_PRELOAD=$bin/libtsan_mutex.so "$bin/${package}PackageTests.xctest" \
        --testing-library swift-testing --filter "$filter" || [ $? -eq 69 ] || status=$?
done
if compgen -G "$reports/report.*" >/dev/null; then
    cat "$reports"/report.* >&2
    printf 'tsan: %s races reported\n' "$(cat "$reports"/report.* | grep -c '^WARNING')" >&2
    exit 66
fi
[ "$status" -eq 0 ] && printf 'tsan: no race reported\n'
exit "$status"
