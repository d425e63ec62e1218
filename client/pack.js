// Packs the built kit as kit.tgz, which the service hands out. The same files give the same bytes, on whatever machine:
// every process of a service, and everybody who built this version, has the same digest.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const blockBytes = 512

/** When npm says that every file of every package was changed: 1985-10-26T08:15:00Z. */
const changedAt = 499162500

/** @param {string} root the kit's folder, built */
export function pack(root) {
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const built = readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length).replaceAll('\\', '/'))
    .sort()
  const files = [
    ['package.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
    ...['CHANGELOG.md', 'LICENSE', 'README.md', ...built].map((name) => [name, readFileSync(join(root, name))]),
  ]
  const blocks = files.flatMap(([name, bytes]) => [header(name, bytes.length), bytes, padding(bytes.length)])
  const archive = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), { level: 9 })
  // The operating system that wrote it: unknown (RFC 1952, 2.3.1).
  archive[9] = 255
  // A service that runs meanwhile reads the whole of the old one or of the new one.
  writeFileSync(join(root, 'kit.tgz.new'), archive)
  renameSync(join(root, 'kit.tgz.new'), join(root, 'kit.tgz'))
}

/** A header of POSIX ustar, for an ordinary file. */
function header(name, size) {
  const block = Buffer.alloc(blockBytes)
  const octal = (value, digits) => value.toString(8).padStart(digits, '0')
  const write = (text, at) => block.write(text, at, 'latin1')
  if (name.length > 90) throw new Error(`${name} is too long a name for its header.`)
  write(`package/${name}`, 0)
  write(octal(0o644, 7), 100)
  write(octal(0, 7), 108)
  write(octal(0, 7), 116)
  write(octal(size, 11), 124)
  write(octal(changedAt, 11), 136)
  write(' '.repeat(8), 148)
  write('0', 156)
  write('ustar\u000000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  write(`${octal(sum, 6)}\u0000 `, 148)
  return block
}

function padding(size) {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)
}
