#!/usr/bin/env bash
# compose.yaml by a compose, haproxy.cfg by HAProxy and the unit by systemd: the programs that read them.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
cd "$repository/deploy"

sed -E 's/^((POSTGRES_PASSWORD|LANDBRIDGE_[A-Z]+_KEY)=)$/\1secret/' example.env >"$work/filled.env"
docker-compose --env-file "$work/filled.env" -f compose.yaml config >"$work/log" 2>&1 || fail 'compose.yaml'
[ "$(grep -c '^  landbridge-[0-9]:$' "$work/log")" = 3 ] || fail 'compose.yaml: not three processes'
! docker-compose --env-file example.env -f compose.yaml config >/dev/null 2>&1 || fail 'compose.yaml accepts missing secrets'
: >"$work/log"
echo 'compose.yaml: accepted'

# Where no certificate is there yet, and no name known: it must start all the same.
unshare --mount sh -c 'mount -t tmpfs tmpfs /usr/local/etc && mkdir -p /usr/local/etc/haproxy/tls && haproxy -c -f haproxy.cfg' \
  >"$work/log" 2>&1 || fail 'haproxy.cfg'
echo 'haproxy.cfg: accepted'

# In a separate root, where the programs have the paths that the unit names.
root=$work/unit-root
mkdir -p "$root"/{bin,opt/landbridge/node_modules/.bin,usr/lib/systemd,etc/systemd/system}
cp -a /usr/lib/systemd/system "$root/usr/lib/systemd/"
ln -s usr/lib "$root/lib"
install -m 755 /bin/true "$root/opt/landbridge/node_modules/.bin/node"
install -m 755 /bin/true "$root/bin/kill"
cp landbridge.service "$root/etc/systemd/system/"
systemd-analyze verify --man=no --root="$root" landbridge.service >"$work/log" 2>&1 || fail 'landbridge.service'
# A wrong line is only a warning to systemd.
[ ! -s "$work/log" ] || fail 'landbridge.service'
systemd-analyze security --offline=true --threshold=20 --no-pager landbridge.service >"$work/log" 2>&1 || fail 'landbridge.service is less protected than it was'
echo "landbridge.service: accepted, $(grep -o 'exposure level.*: [0-9.]*' "$work/log" | sed 's/ for.*:/:/')"
