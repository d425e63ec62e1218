#!/usr/bin/env bash
# What a newcomer does, in fresh clones: `npm ci && npm start`, then the production install of docs/operate.md and
# the other processor's packages, or with --test `npm ci && npm test`; as root in a folder that only root may enter and
# as an ordinary user, or as the one named; with each npm named (10, 11 and 12 by default), on the machine's own Node.js where that npm runs on it.
# Needs root, to be both.
#   test/newcomer.sh [--test | --here] [--as root|user] [10 11 12]
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo 'Start this as root: it plays root and an ordinary user.'; exit 2; }
repository=$(cd "$(dirname "$0")/.." && pwd)
user=landbridge-newcomer
steps=(play_start play_production play_processor)
people=(root "$user")
versions=()
while [ $# -gt 0 ]; do
  case $1 in
    --test) steps=(play_test) ;;
    # For CI, where test/deploy builds an image by the production install, and one for the other processor.
    --here) steps=(play_start) ;;
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

# npm 12 needs a newer Node.js than a distribution may bring; the one that the project pins serves all three.
pinned=$(find "$repository/node_modules" -maxdepth 3 -path '*/node-linux-*/bin/node' | head -1)
if [ -n "$pinned" ]; then install -D "$pinned" "$work/bin/node"; fi

try() { # who, npm's version, folder, step
  local who=$1 version=$2 folder=$3 step=$4 omit=()
  local path=$work/npm$version/node_modules/.bin:$PATH
  # npm itself says when it does not support the Node.js that runs it.
  ! env PATH="$path" npm --version 2>&1 | grep -q 'does not support' || path=$work/npm$version/node_modules/.bin:$work/bin:$PATH
  local as=(env PATH="$path")
  [ "$who" = root ] || as=(runuser -u "$who" -- "${as[@]}" HOME="/home/$who")
  [ "$step" != play_production ] || omit=(--omit=dev)
  [ "$step" != play_processor ] || omit=(--cpu="$other" --os=linux --libc=glibc --ignore-scripts)
  echo "npm $("${as[@]}" npm --version) on Node.js $("${as[@]}" node --version), as $who, in $folder: ${step#play_}"
  git clone -q "$repository" "$folder"
  [ "$who" = root ] || chown -R "$who" "$folder"
  install_packages "${omit[@]}" || return 1
  "$step" || return 1
}

install_packages() { # what to leave out; within try
  local began=$SECONDS
  (cd "$folder" && "${as[@]}" npm ci "$@" >"$work/ci.log" 2>&1) || { tail -5 "$work/ci.log"; return 1; }
  # npm must not compare engines with its own Node.js: everything runs on the packaged one.
  ! grep EBADENGINE "$work/ci.log" || return 1
  echo "  npm ci${*:+ $*}: $(grep -o 'added [0-9]* packages' "$work/ci.log"), $(packages_size) MB, in $((SECONDS - began)) s"
}

# Started by root, the cluster may be where Postgres's user can reach it.
forget_data() { rm -rf "$folder/data" "/var/lib/landbridge/$(printf %s "$folder/data/postgres" | sha256sum | cut -c1-16)"; }

packages_size() { (cd "$folder" && du -scm node_modules portal/node_modules 2>/dev/null | tail -1 | cut -f1); }

play_production() { # within try
  local name
  # mqtt comes: it is an optional peer of the kit, and npm takes such a one along where another workspace has it.
  for name in playwright-core @biomejs/biome fast-check aedes; do
    [ ! -e "$folder/node_modules/$name" ] || { echo "  a production install brought $name"; return 1; }
  done
  play_start || return 1
  # What built the portal is not needed to serve it.
  install_packages --omit=dev --workspace server --include-workspace-root --ignore-scripts || return 1
  [ ! -e "$folder/node_modules/vite" ] || { echo '  the second install left vite'; return 1; }
  forget_data
  play_start
}

# npm can install for the processor that this machine does not have; nothing is run, but everything must be there.
if [ "$(uname -m)" = aarch64 ]; then other=x64 code=3e00; else other=arm64 code=b700; fi

play_processor() { # within try
  local program
  for program in "node-linux-$other/bin/node" "@embedded-postgres/linux-$other/native/bin/postgres" \
    "@rolldown/binding-linux-$other-gnu/rolldown-binding.linux-$other-gnu.node" "lightningcss-linux-$other-gnu/lightningcss.linux-$other-gnu.node" \
    "@biomejs/cli-linux-$other/biome" "@swc/core-linux-$other-gnu/swc.linux-$other-gnu.node"; do
    # The header of a program names its processor.
    [ "$(od -An -tx1 -j18 -N2 "$folder/node_modules/$program" | tr -d ' ')" = $code ] || { echo "  not for $other: $program"; return 1; }
  done
  [ -d "$folder/node_modules/@typescript/typescript-linux-$other" ] || { echo "  no TypeScript for $other"; return 1; }
  echo "  every program is there for linux $other"
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
    curl -s -H 'accept: text/html' "$url/" | grep -q 'id="portal"' || { echo "  $start start: no portal"; return 1; }
    if [ $start = first ]; then # the commands of the card, in one shell: one keeps what the next needs
      local commands
      commands=$(sed -nE 's/^    ((device=\$\()?curl .*)/\1/p' "$work/start.log" | sed 's/curl -s/curl -fs/')
      [ "$(grep -c curl <<<"$commands")" = 4 ] || { echo "  the card has other commands: $commands"; return 1; }
      (cd "$folder" && "${as[@]}" bash -ec "$commands" >"$work/card.log") || { echo '  a command of the card failed'; return 1; }
      grep -q '"success":true' "$work/card.log" || { echo '  no telemetry was stored'; return 1; }
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
    for step in "${steps[@]}"; do
      # What it brings does not depend on the user.
      [ "$step" = play_start ] || [ "$step" = play_test ] || [ "$who" = "${people[-1]}" ] || continue
      try "$who" "$version" "$folder" "$step" || { echo '  FAILED'; failed=1; }
      forget_data
      rm -rf "$folder"
    done
  done
done
exit $failed
