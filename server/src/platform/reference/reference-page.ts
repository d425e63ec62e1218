import type { FastifyRequest } from 'fastify'
import type { App } from '../http/app.ts'
import { hashedFile, serveHashedFile } from '../http/hashed-files.ts'
import { isolatedFromOpener, pageHeaders } from '../pages/headers.ts'
import { html } from '../pages/html.ts'
import { iconLink } from '../pages/page.ts'

const swaggerStyles = hashedFile('/docs/', new URL(import.meta.resolve('swagger-ui-dist/swagger-ui.css')))
const swaggerScript = hashedFile('/docs/', new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')))
const styles = hashedFile('/docs/', new URL('reference.css', import.meta.url))
const plugins = hashedFile('/docs/', new URL('plugins.js', import.meta.url))
const start = hashedFile('/docs/', new URL('start.js', import.meta.url))

const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Landbridge</title>
${iconLink}
<link rel="stylesheet" href="${swaggerStyles.address}">
<link rel="stylesheet" href="${styles.address}">
<script defer src="${swaggerScript.address}"></script>
<script defer src="${plugins.address}"></script>
<script defer src="${start.address}"></script>
</head>
<body>
<noscript><p>This page needs JavaScript. <a href="/openapi.json">openapi.json</a> is the same reference as a file.</p></noscript>
<header class="reference-head">
<strong>Landbridge API reference</strong>
<a href="/openapi.json">openapi.json</a>
<a href="/asyncapi.json">asyncapi.json (MQTT and webhooks)</a>
<a href="/docs/permissions">Permissions</a>
<a href="/kit.tgz">kit.tgz (partner kit)</a>
<a href="/">Portal</a>
</header>
<aside class="lab-note" id="lab" hidden><p>“Try it out” uses the lab of this machine: its application is signed in at the OAuth endpoints, and the example of a registration carries its model and hardware key. For the organization and partner APIs, <a href="/sign-in">sign in to the portal</a> as <b id="lab-email"></b> in this browser first.</p></aside>
<main id="reference"></main>
</body>
</html>
`

/** Scripts and calls of this origin only; Swagger UI's stylesheet has a few icons as `data:` images. */
const policy = { 'script-src': "'self'", 'connect-src': "'self'", 'img-src': "'self' data:" }

/** What a reader may use to try things out, where there is a lab. */
export interface LabCredentials {
  email: string
  client_id: string
  client_secret: string
  model_id: string
  hardware_key: string
}

/**
 * The API reference: Swagger UI, which reads `/openapi.json`. `readLab` is null where there is no lab: on every
 * configuration for production.
 */
export function referencePage(app: App, readLab: (() => Promise<LabCredentials | null>) | null): void {
  for (const file of [swaggerStyles, swaggerScript, styles, plugins, start]) serveHashedFile(app, file)
  app.get('/docs/lab.json', { schema: { hide: true } }, async (request, reply) => {
    const lab = readLab && isFromThisMachine(request) ? await readLab() : null
    return lab ?? reply.code(204).send()
  })
  app.get('/docs', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({ ...pageHeaders(policy), ...isolatedFromOpener })
      .type('text/html; charset=utf-8')
      .send(markup),
  )
}

/**
 * Decision 8.13: the connection and the name in the address are this machine's, so that neither the network nor a page
 * whose own name was made to lead here gets the credentials; and no proxy stands between.
 */
function isFromThisMachine({ socket, headers }: FastifyRequest): boolean {
  const { hostname } = URL.parse(`http://${headers.host}`) ?? { hostname: '' }
  const isForwarded = ['forwarded', 'x-forwarded-for', 'via'].some((name) => name in headers)
  const isOwnPage = ['same-origin', undefined].includes(headers['sec-fetch-site'] as string | undefined)
  return isLoopbackAddress(socket.remoteAddress ?? '') && isLoopbackName(hostname) && !isForwarded && isOwnPage
}

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])
const isLoopbackName = (name: string) => loopbackNames.has(name)

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}
