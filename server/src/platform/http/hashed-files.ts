import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Type } from 'typebox'
import { digest } from '../secrets/secrets.ts'
import type { App } from './server.ts'

const compress = promisify(gzip)

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** A hashed name changes with its content, so that a browser may keep the file for good. */
const headers = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' }

/** The preferred one first. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
]

/**
 * A flat folder of files with hashed names and their compressed forms. Only names that were there at the start are
 * served, so that no path is ever built from a request.
 */
export async function serveHashedFiles(app: App, { folder, prefix }: { folder: URL; prefix: string }): Promise<void> {
  const names = new Set(await readdir(folder))
  const schema = { hide: true, params: Type.Object({ name: Type.String({ maxLength: 200 }) }) }
  app.get(`${prefix}:name`, { schema }, async (request, reply) => {
    const { name } = request.params
    const type = types[extname(name)]
    if (!type || !names.has(name)) return reply.callNotFound()
    const accepted = acceptedEncodings(request.headers['accept-encoding'])
    const encoding = encodings.find((one) => accepted.has(one.name) && names.has(name + one.ending))
    if (encoding) reply.header('content-encoding', encoding.name)
    return reply
      .headers({ ...headers, vary: 'accept-encoding' })
      .type(type)
      .send(await readFile(new URL(name + (encoding?.ending ?? ''), folder)))
  })
}

export interface HashedFile {
  address: string
  content: string
}

export function hashedFile(prefix: string, file: URL): HashedFile {
  const content = readFileSync(file, 'utf8')
  const ending = extname(file.pathname)
  const hash = digest(content).toString('hex').slice(0, 12)
  return { address: `${prefix}${basename(file.pathname, ending)}-${hash}${ending}`, content }
}

/** Compressed once, when it is first asked for. */
export function serveHashedFile(app: App, { address, content }: HashedFile): void {
  let compressed: Promise<Buffer> | undefined
  app.get(address, { schema: { hide: true } }, async (request, reply) => {
    reply.headers({ ...headers, vary: 'accept-encoding' }).type(types[extname(address)]!)
    if (!acceptedEncodings(request.headers['accept-encoding']).has('gzip')) return reply.send(content)
    compressed ??= compress(content)
    return reply.header('content-encoding', 'gzip').send(await compressed)
  })
}

/** RFC 9110, 12.5.3: a weight of zero refuses. */
export function acceptedEncodings(header: string | string[] | undefined): Set<string> {
  const entries = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
  return new Set(entries.filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? '')).map(([name]) => name!))
}
