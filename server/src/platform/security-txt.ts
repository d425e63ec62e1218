import type { BaseContext } from './context.ts'
import type { App } from './http/app.ts'

const validDays = 90

/** RFC 9116: whom to tell about a vulnerability. */
export function securityTxt(app: App, { now, addresses, config }: BaseContext): void {
  app.get('/.well-known/security.txt', { schema: { hide: true } }, async (_request, reply) => {
    const expires = new Date(now().getTime() + validDays * 86_400_000)
    expires.setUTCHours(0, 0, 0, 0)
    reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=3600')
    const { publicUrl } = addresses
    // RFC 2142 names the mailbox, where the operator has set none.
    const contact = config.securityContact ?? `mailto:security@${new URL(publicUrl).hostname}`
    return [
      `Contact: ${contact}`,
      `Expires: ${expires.toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: ${publicUrl}/.well-known/security.txt`,
      '',
    ].join('\n')
  })
}
