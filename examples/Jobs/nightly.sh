#!/usr/bin/env bash
# nightly.sh: three jobs, each of which needs the one before it, by lines of JSON.
#
# Usage   nightly.sh COMMAND COMMAND COMMAND   with jobs and napkind on the PATH
# Exit    the status of the last one

set -u
[ $# -eq 3 ] || { printf 'nightly: usage: nightly.sh COMMAND COMMAND COMMAND\n' >&2; exit 64; }
coproc front { exec jobs attach jobs --control ${JOBS_SOCKET:+--socket "$JOBS_SOCKET"}; }

# call METHOD ARGUMENTS: sends an event, and sets `value` to what its reply says.
id=0
call() {
    id=$((id + 1))
    printf '{"t":"event","id":%d,"feature":"jobs.jobs","method":"%s","args":%s}\n' \
        "$id" "$1" "$2" >&"${front[1]}"
    while IFS= read -r value <&"${front[0]}"; do
        [[ $value == *"\"t\":\"reply\",\"id\":$id,\"ok\":true"* ]] && return
        [[ $value != *"\"t\":\"reply\""* ]] || break
    done
    printf 'nightly: %s\n' "$value" >&2
    exit 74
}

after=
for command; do
    text=${command//\\/\\\\}
    call 'submit(_:)' \
        "[{\"command\":\"${text//\"/\\\"}\",\"queue\":\"nightly\",\"after\":[$after]}]"
    after=${value##*:}
    after=${after%\}}
    printf 'job %d: %s\n' "$after" "$command"
done
call 'end(of:)' "[$after]"
[[ $value =~ \"state\":\"([a-z]+)\" ]] && printf 'job %d %s\n' "$after" "${BASH_REMATCH[1]}"
[[ $value =~ \"status\":([0-9]+) ]] && exit "${BASH_REMATCH[1]}"
exit 1
