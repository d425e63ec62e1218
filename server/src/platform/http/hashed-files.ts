import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { Type } from 'typebox'
import type { App } from './server.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The best first. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
]

/**
 * A flat folder of files whose names carry a digest of their content, so that a browser may keep them for good, with
 * their compressed forms beside them. Only names that were there at the start are served: no path is ever made of a request's.
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
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
      .header('x-content-type-options', 'nosniff')
      .type(type)
      .send(await readFile(new URL(name + (encoding?.ending ?? ''), folder)))
  })
}

/** RFC 9110, 12.5.3: a weight of zero refuses. */
function acceptedEncodings(header: string | string[] | undefined): Set<string> {
  const entries = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
  return new Set(entries.filter(([, weight]) => !/^q=0(\.0*)?$/.test(weight ?? '')).map(([name]) => name!))
}
