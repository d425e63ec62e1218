import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { digest } from '../secrets/secrets.ts'
import type { App } from './app.ts'
import { acceptedEncodings } from './encodings.ts'

const compress = promisify(gzip)

interface Built {
  text: string
  etag: string
  compressed: Promise<Buffer>
}

/** A JSON document that does not change while the process runs: built when it is first asked for, then kept. */
export function serveDocument(app: App, path: string, build: () => object): void {
  let built: Built | undefined
  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    built ??= prepare(build())
    const { text, etag, compressed } = built
    // A browser asks each time whether it has changed, because a new release does.
    reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-cache', vary: 'accept-encoding', etag })
    const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    if (known.includes(etag)) return reply.code(304).send()
    reply.type('application/json; charset=utf-8').serializer(String)
    if (!acceptedEncodings(request.headers['accept-encoding']).has('gzip')) return reply.send(text)
    return reply.header('content-encoding', 'gzip').send(await compressed)
  })
}

function prepare(document: object): Built {
  const text = JSON.stringify(document)
  const etag = `"${digest(text).toString('base64url').slice(0, 22)}"`
  return { text, etag, compressed: compress(text) }
}
