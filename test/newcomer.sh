#!/usr/bin/env bash
# What a newcomer does, in fresh clones: `npm ci && npm start`, or with --test `npm ci && npm test`; as root in a folder
# that only root may enter and as an ordinary user, or as the one named; with each npm named (10, 11 and 12 unless told).
# Needs root, to be both.
#   test/newcomer.sh [--test] [--as root|user] [10 11 12]
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo 'Start this as root: it plays root and an ordinary user.'; exit 2; }
repository=$(cd "$(dirname "$0")/.." && pwd)
user=landbridge-newcomer
act=play_start
people=(root "$user")
versions=()
while [ $# -gt 0 ]; do
  case $1 in
    --test) act=play_test ;;
    --as) shift; people=("${1/#user/$user}") ;;
    *) versions+=("$1") ;;
  esac
  shift
done
[ ${#versions[@]} -gt 0 ] || versions=(10 11 12)
work=$(mktemp -d /tmp/newcomer.XXXXXX)
chmod 755 "$work"
id "$user" >/dev/null 2>&1 || useradd --system --create-home --shell /bin/bash "$user"
trap 'rm -rf "$work"' EXIT
failed=0

# npm 12 needs a newer Node than a distribution may bring; the one that the project pins serves all three.
pinned=$(find "$repository/node_modules" -maxdepth 3 -path '*/node-linux-*/bin/node' | head -1)
if [ -n "$pinned" ]; then install -D "$pinned" "$work/bin/node"; fi

try() { # who, npm's version, folder
  local who=$1 version=$2 folder=$3
  local as=(env PATH="$work/npm$version/node_modules/.bin:$work/bin:$PATH")
  [ "$who" = root ] || as=(runuser -u "$who" -- "${as[@]}" HOME="/home/$who")
  git clone -q "$repository" "$folder"
  [ "$who" = root ] || chown -R "$who" "$folder"
  (cd "$folder" && "${as[@]}" npm ci --no-audit --no-fund >"$work/ci.log" 2>&1) || { tail -5 "$work/ci.log"; return 1; }
  "$act" || return 1
}

play_test() { # within try
  local began=$SECONDS temporary=$work/temporary left
  mkdir -m 1777 "$temporary"
  (cd "$folder" && "${as[@]}" TMPDIR="$temporary" npm test >"$work/test.log" 2>&1) || { grep -A40 'failing tests' "$work/test.log" || tail -20 "$work/test.log"; return 1; }
  left=$(find "$temporary" -mindepth 1 -maxdepth 1 -name 'landbridge-*'; cd "$folder"; "${as[@]}" git status --porcelain)
  rm -rf "$temporary"
  [ -z "$left" ] || { printf '  left behind:\n%s\n' "$left"; return 1; }
  if [ "$who" != root ]; then # a browser's last process may take a moment to end
    for _ in $(seq 100); do pgrep -u "$who" >/dev/null || break; sleep 0.1; done
    ! pgrep -u "$who" >/dev/null || { echo '  left processes:'; ps -u "$who" -o pid,args; return 1; }
  fi
  echo "  npm test: passed in $((SECONDS - began)) s, left nothing"
}

play_start() { # within try
  local began ready start
  as+=(PORT=0 LANDBRIDGE_MQTTS_PORT=0 LANDBRIDGE_STATIC_CERT_PORT=0 LANDBRIDGE_HOST=127.0.0.1)
  for start in first second; do
    began=$(date +%s%N)
    (cd "$folder" && exec "${as[@]}" setsid npm start >"$work/start.log" 2>&1) &
    ready=
    for _ in $(seq 600); do
      ready=$(grep -m1 '"msg":"ready"' "$work/start.log" 2>/dev/null || true)
      [ -z "$ready" ] || break
      sleep 0.1
    done
    [ -n "$ready" ] || { echo "  $start start: not ready"; tail -5 "$work/start.log"; return 1; }
    local took=$((($(date +%s%N) - began) / 1000000)) url pid
    url=$(sed 's/.*"public_url":"\([^"]*\)".*/\1/' <<<"$ready")
    pid=$(sed 's/.*"pid":\([0-9]*\).*/\1/' <<<"$ready")
    [ "$(curl -s -o /dev/null -w '%{http_code}' "$url/readyz")" = 200 ] || { echo "  $start start: /readyz is not 200"; return 1; }
    if [ $start = first ]; then # the three commands of the card
      local command
      while read -r command; do
        (cd "$folder" && "${as[@]}" bash -c "${command/curl /curl -f }" >/dev/null) || { echo "  failed: ${command%%-H*}"; return 1; }
      done < <(sed -n 's/^    \(curl .*\)/\1/p' "$work/start.log")
    fi
    kill -TERM "$pid"
    for _ in $(seq 300); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    ! kill -0 "$pid" 2>/dev/null || { echo "  $start start: does not stop"; return 1; }
    local mine
    mine="$folder/data|landbridge/$(printf %s "$folder/data/postgres" | sha256sum | cut -c1-16)"
    for _ in $(seq 50); do pgrep -f "$mine" >/dev/null || break; sleep 0.1; done
    ! pgrep -f "$mine" >/dev/null || { echo "  $start start: left processes"; return 1; }
    echo "  $start start: ready in $took ms, stopped clean"
    wait || true
  done
}

for version in "${versions[@]}"; do
  (cd "$work" && npm install --silent --no-audit --no-fund --prefix "$work/npm$version" "npm@$version")
  for who in "${people[@]}"; do
    folder=$work/$who-$version
    if [ "$who" = root ]; then mkdir -m 700 "$work/root-only-$version"; folder=$work/root-only-$version/landbridge; fi
    echo "npm $("$work/bin/node" "$work/npm$version/node_modules/npm/bin/npm-cli.js" --version), as $who, in $folder"
    try "$who" "$version" "$folder" || { echo '  FAILED'; failed=1; }
    rm -rf "$folder" "/var/lib/landbridge/$(printf %s "$folder/data/postgres" | sha256sum | cut -c1-16)"
  done
done
exit $failed
