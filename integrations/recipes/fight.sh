#!/usr/bin/env bash
# Runs a fight from a file: the first line creates the encounter, each further line is a command or a list of them. Prints what happens, then
# the turn table. A run that broke off goes on where it was, and no line is applied twice: FILE.key keeps the key of the run.
#     fight.sh FILE [URL]
set -euo pipefail
[ -f "${1:-}" ] || { echo "Usage: fight.sh FILE [URL]. FILE is the fight: an encounter, then commands, one a line." >&2; exit 2; }
file=$1 url=${2:-http://127.0.0.1:8080}/v1/encounters
texts() { # FIELD: its values in the JSON that is read
    grep -oE "\"$1\":\"([^\"\\]|\\\\.)*\"" | cut -d'"' -f4- | sed 's/"$//'
}
[ -e "$file.key" ] || cat /proc/sys/kernel/random/uuid >"$file.key"
key=$(cat "$file.key") number=0 path='' token=''
while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    [ -n "$line" ] || continue
    answer=$(curl -sS --retry 5 --retry-connrefused --fail-with-body "$url$path" ${token:+-H "Authorization: Bearer $token"} \
        -H "Idempotency-Key: $key-$number" -H 'Content-Type: application/json' -H 'Prefer: return=minimal' -d "$line") ||
        { echo "line $number: $(texts detail <<<"$answer" | grep . || echo "$url does not answer")" >&2; exit 1; }
    # curl takes an answer that broke off in its head for an empty one.
    [ -n "$answer" ] || { echo "line $number: no answer" >&2; exit 1; }
    if [ -z "$token" ]; then
        id=$(texts id <<<"$answer" | head -1) token=$(texts token <<<"$answer" | head -1) path=/$id/commands
    else
        texts text <<<"$answer" || true
    fi
done <"$file"
curl -sS "$url/$id" -H "Authorization: Bearer $token" -H 'Accept: text/plain'
