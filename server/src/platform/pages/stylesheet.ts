import { readFileSync } from 'node:fs'
import type { App } from '../http/server.ts'
import { digest } from '../secrets/secrets.ts'

const look = readFileSync(new URL('stylesheet.css', import.meta.url), 'utf8')

/** The name changes with the content, so that a browser may keep it for good. */
export const stylesheetAddress = `/pages/look-${digest(look).toString('hex').slice(0, 12)}.css`

export function stylesheetRoute(app: App): void {
  app.get(stylesheetAddress, (_request, reply) =>
    reply
      .type('text/css; charset=utf-8')
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' })
      .send(look),
  )
}
