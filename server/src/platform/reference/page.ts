import { hashedFile, serveHashedFile } from '../http/hashed-files.ts'
import type { App } from '../http/server.ts'
import { isolatedFromOpener, pageHeaders } from '../pages/headers.ts'
import { html } from '../pages/html.ts'
import { iconLink } from '../pages/page.ts'

const swaggerStyles = hashedFile('/docs/', new URL(import.meta.resolve('swagger-ui-dist/swagger-ui.css')))
const swaggerScript = hashedFile('/docs/', new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')))
const styles = hashedFile('/docs/', new URL('reference.css', import.meta.url))
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
<script defer src="${start.address}"></script>
</head>
<body>
<noscript><p>This page needs JavaScript. <a href="/openapi.json">openapi.json</a> is the same reference as a file.</p></noscript>
<main id="reference"></main>
</body>
</html>
`

/** Scripts and calls of this origin only; Swagger UI's stylesheet has a few icons as `data:` images. */
const policy = { 'script-src': "'self'", 'connect-src': "'self'", 'img-src': "'self' data:" }

/** The API reference: Swagger UI, which reads `/openapi.json`. */
export function referencePage(app: App): void {
  for (const file of [swaggerStyles, swaggerScript, styles, start]) serveHashedFile(app, file)
  app.get('/docs', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({ ...pageHeaders(policy), ...isolatedFromOpener })
      .type('text/html; charset=utf-8')
      .send(markup),
  )
}
