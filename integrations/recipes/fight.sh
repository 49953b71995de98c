#!/usr/bin/env bash
# Runs a fight from a file: the first line creates the encounter, each further line is a command or a list of them. Prints what happens, then
# the turn table. A run that broke off goes on where it was, and no line is applied twice: FILE.key keeps the key of the run.
#     fight.sh FILE [URL]
set -euo pipefail
file=$1 url=${2:-http://127.0.0.1:8080}
post() { # KEY PATH BODY [TOKEN]
    curl -sS --retry 5 --retry-connrefused --fail-with-body "$url/v1/encounters$2" -H "Idempotency-Key: $1" -H 'Content-Type: application/json' \
        ${4:+-H "Authorization: Bearer $4"} -H 'Prefer: return=minimal' -d "$3"
}
texts() { # FIELD: its values in the JSON that is read
    grep -oE "\"$1\":\"([^\"\\]|\\\\.)*\"" | cut -d'"' -f4- | sed 's/"$//'
}
[ -e "$file.key" ] || cat /proc/sys/kernel/random/uuid >"$file.key"
key=$(cat "$file.key") number=0 id='' token=''
while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    if [ -z "$id" ]; then
        created=$(post "$key" '' "$line")
        id=$(texts id <<<"$created" | head -1) token=$(texts token <<<"$created" | head -1)
    elif [ -n "$line" ]; then
        answer=$(post "$key-$number" "/$id/commands" "$line" "$token") || { echo "line $number: $(texts detail <<<"$answer")" >&2; exit 1; }
        texts text <<<"$answer" || true
    fi
done <"$file"
curl -sS "$url/v1/encounters/$id" -H "Authorization: Bearer $token" -H 'Accept: text/plain'
