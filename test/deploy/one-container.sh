#!/usr/bin/env bash
# One container with its private Postgres: healthy, serves, keeps its data in the volume. In a network namespace of its own.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
ip link set lo up
volume=$work/volume
# As an engine fills a new volume: with the owner and mode of the image's folder, which check-contents.sh looks at.
install -d -m 700 -o 10001 -g 10001 "$volume"
in_container() { image run --isolation chroot --volume "$volume:/data" "$container" -- "$@"; }

for round in first second; do
  began=$(date +%s%N)
  log=$work/one-container.$round.log
  container=$(image from localhost/landbridge)
  # buildah would put the image's own volume over ours.
  image config --volume /data- "$container"
  start_container "$container" "$log" --volume "$volume:/data"
  engine=$!
  wait_until_healthy 60 "$container" || { cp "$log" "$work/log"; fail "$round start: not healthy after 60 s"; }
  took=$((($(date +%s%N) - began) / 1000000))
  pid=$(pid_in "$log")
  [ "$(awk '/^Uid:/ {print $2}' "/proc/$pid/status")" = 10001 ] || fail 'runs as another user'

  curl -sf http://127.0.0.1:8080/readyz | grep -q '"ready"' || fail "$round start: /readyz"
  curl -sf http://127.0.0.1:8080/sign-in | grep -q 'name="password"' || fail "$round start: no sign-in page"
  script=$(curl -sf http://127.0.0.1:8080/ | grep -o '/assets/[^"]*\.js' | head -1)
  curl -sf -o /dev/null "http://127.0.0.1:8080$script" || fail "$round start: the portal's script ($script) is missing"
  if [ $round = first ]; then
    in_container landbridge partner create --name 'Kept in the volume' --email ada@example.com >"$work/log" || fail 'the command line in the container'
  else
    in_container landbridge partner list >"$work/log"
    grep -q 'Kept in the volume' "$work/log" || fail 'the data did not survive a new container with the same volume'
  fi
  kill -TERM "$pid"
  code=0
  wait "$engine" || code=$?
  [ $code = 0 ] || { cp "$log" "$work/log"; fail "$round start: ended with code $code"; }
  ! pgrep -u 10001 >/dev/null || fail "$round start: left processes: $(pgrep -u 10001 -a)"
  image rm "$container" >/dev/null
  echo "one container, $round start: healthy in $took ms as uid 10001, stopped clean"
done
