import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { digest } from '../secrets/secrets.ts'
import type { App } from './app.ts'
import { acceptedEncodings } from './encodings.ts'

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
    const file = name + (encoding?.ending ?? '')
    return await sendHashed(request, reply, { type, file, encoding, content: () => readFile(new URL(file, folder)) })
  })
}

interface Representation {
  type: string
  /** Different for each encoding: it is the ETag. */
  file: string
  encoding: { name: string } | undefined
  content: () => Promise<Buffer | string>
}

async function sendHashed(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, file, encoding, content }: Representation,
) {
  const etag = `"${file}"`
  reply.headers({ ...headers, etag, vary: 'accept-encoding' })
  // A browser asks only when its user reloads with force, but a cache in between may.
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim())
  if (known.includes(etag)) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding.name)
  return reply.type(type).send(await content())
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

const compressors: Record<string, (content: string) => Promise<Buffer>> = {
  // The highest quality would take seconds for the API reference; the portal's files have it from their build.
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (content) => promisify(gzip)(content),
}

/** Compressed once, when it is first asked for. */
export function serveHashedFile(app: App, { address, content }: HashedFile): void {
  const compressed = new Map<string, Promise<Buffer>>()
  const compress = (name: string) => {
    const made = compressed.get(name) ?? compressors[name]!(content)
    compressed.set(name, made)
    return made
  }
  const type = types[extname(address)]!
  app.get(address, { schema: { hide: true } }, async (request, reply) => {
    const accepted = acceptedEncodings(request.headers['accept-encoding'])
    const encoding = encodings.find(({ name }) => accepted.has(name))
    const file = basename(address) + (encoding?.ending ?? '')
    const send = async () => (encoding ? await compress(encoding.name) : content)
    return await sendHashed(request, reply, { type, file, encoding, content: send })
  })
}
