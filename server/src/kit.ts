import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyReply } from 'fastify'
import type { App } from './platform/http/app.ts'
import { Refusal } from './platform/refusal.ts'
import { version } from './platform/version.ts'

/** Packed by `client/build.js` when the service is installed. */
const archive = new URL('../../client/kit.tgz', import.meta.url)

export const kitPath = '/kit.tgz'

interface Kit {
  bytes: Buffer
  digest: Buffer
}

/** The partner kit of this version, for `npm install {base_url}/kit.tgz`, and its digest beside it (decision 8.44). */
export function partnerKit(app: App): void {
  let kit: Promise<Kit> | undefined
  const read = async (reply: FastifyReply): Promise<Kit> => {
    kit ??= readKit()
    const { bytes, digest } = await kit.catch((error) => {
      // It may be built while the service runs.
      kit = undefined
      throw error
    })
    // Asked for each time, because a new release changes it.
    reply.headers({ 'cache-control': 'public, no-cache', etag: `"${digest.toString('base64url').slice(0, 22)}"` })
    return { bytes, digest }
  }
  app.get(kitPath, { schema: { hide: true } }, async (request, reply) => {
    const { bytes, digest } = await read(reply)
    if (request.headers['if-none-match'] === reply.getHeader('etag')) return reply.code(304).send()
    return reply
      .headers({
        'content-disposition': `attachment; filename="landbridge-client-${version}.tgz"`,
        // RFC 9530.
        'repr-digest': `sha-512=:${digest.toString('base64')}:`,
      })
      .type('application/gzip')
      .send(bytes)
  })
  // As `sha512sum -c` reads it.
  app.get(`${kitPath}.sha512`, { schema: { hide: true } }, async (_request, reply) => {
    const { digest } = await read(reply)
    return reply.type('text/plain; charset=utf-8').send(`${digest.toString('hex')}  kit.tgz\n`)
  })
}

async function readKit(): Promise<Kit> {
  const bytes = await readFile(archive).catch(() => null)
  if (!bytes) {
    const sentence = 'The partner kit was not built when this service was installed: npm run build -w client'
    throw new Refusal(404, 'not_found', sentence)
  }
  return { bytes, digest: createHash('sha512').update(bytes).digest() }
}
