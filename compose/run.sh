#!/usr/bin/env bash
# Runs one scenario in containers: builds the image, starts it, waits until all are healthy, runs its check, stops it.
#
#   compose/run.sh two-zones          start, check, stop
#   compose/run.sh two-zones --keep   start, check, leave it running
#
# A scenario is a folder beside this file with a docker-compose.yaml and a check.sh, which may call `ctl SERVICE ARGS...`
# (meridianctl inside that service's container) and `until_true COMMAND...`.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scenario=${1:?usage: compose/run.sh SCENARIO [--keep]}
keep=${2:-}
folder="$here/$scenario"
[ -f "$folder/docker-compose.yaml" ] || { echo "no scenario $scenario in $here" >&2; exit 2; }
if docker compose version >/dev/null 2>&1; then compose=(docker compose); else compose=(docker-compose); fi
dc() { "${compose[@]}" -p "meridian-$scenario" -f "$folder/docker-compose.yaml" "$@"; }
ctl() { local service=$1; shift; dc exec -T "$service" node /app/dist/cmd/ctl/main.js "$@"; }
until_true() {
  for _ in $(seq 1 120); do "$@" >/dev/null 2>&1 && return 0; sleep 0.5; done
  echo "gave up waiting for: $*" >&2
  return 1
}
healthy() {
  local id
  for id in $(dc ps -q); do
    [ "$(docker inspect -f '{{.State.Health.Status}}' "$id")" = healthy ] || return 1
  done
}
stop() {
  local code=$?
  if [ "$code" -ne 0 ]; then dc logs --tail 40 >&2 || true; fi
  [ "$keep" = --keep ] || dc down --volumes --timeout 5
  exit "$code"
}
trap stop EXIT

"$here/image.sh"
dc up -d
until_true healthy
echo "all healthy"
# shellcheck source=/dev/null
. "$folder/check.sh"
echo "$scenario: as expected"
