import type { FastifyReply } from 'fastify'
import type { App } from '../http/app.ts'
import { hashedFile, serveHashedFile } from '../http/hashed-files.ts'
import { type Directives, pageHeaders } from './headers.ts'
import { type Content, html } from './html.ts'
import { chosenScheme, type Scheme } from './scheme.ts'

const stylesheet = hashedFile('/pages/', new URL('stylesheet.css', import.meta.url))

const icon = hashedFile('/pages/', new URL('icon.svg', import.meta.url))

export const iconLink = html`<link rel="icon" type="image/svg+xml" href="${icon.address}">`

export function pageFiles(app: App): void {
  serveHashedFile(app, stylesheet)
  serveHashedFile(app, icon)
  // Where browsers look when a response has no page, such as a document of the API.
  app.get('/favicon.ico', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({ 'cache-control': 'public, max-age=86400', 'x-content-type-options': 'nosniff' })
      .type('image/svg+xml')
      .send(icon.content),
  )
}

/** Whose name the page carries: the partner whose portal domain this is, or Landbridge itself. */
export interface Brand {
  name: string
  /** `#rrggbb`. */
  accent?: string | undefined
  /** Sets the accent colour where the policy allows no inline style. */
  stylesheet?: string | undefined
  logo?: string | undefined
}

export const ownBrand: Brand = { name: 'Landbridge' }

/** Beside its own name only: under it, a partner's words would read as the service's (decision 6.41). */
const mark = html`<span class="mark" aria-hidden="true"></span>`

export interface Page {
  title: string
  body: Content
  brand?: Brand | undefined
}

export function renderPage({ title, body, brand = ownBrand }: Page, scheme?: Scheme): string {
  const { markup } = html`<!doctype html>
<html lang="en"${scheme && html` data-scheme="${scheme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${scheme ?? 'light dark'}">
<meta name="robots" content="noindex">
<title>${title} · ${brand.name}</title>
${iconLink}
<link rel="stylesheet" href="${stylesheet.address}">
${brand.stylesheet && html`<link rel="stylesheet" href="${brand.stylesheet}">`}
</head>
<body>
<header class="brand">
${brand.logo ? html`<img src="${brand.logo}" alt="${brand.name}">` : html`${brand === ownBrand && mark}<span>${brand.name}</span>`}
</header>
<main class="card">
${body}
</main>
${brand !== ownBrand && html`<footer class="foot">Provided by ${brand.name} with Landbridge</footer>`}
</body>
</html>
`
  return markup
}

/** Every page is sent from here, so that none lacks its headers. `policy` changes single directives. */
export function sendPage(reply: FastifyReply, status: number, page: Page, policy: Directives = {}) {
  const markup = renderPage(page, chosenScheme(reply.request))
  return reply.code(status).headers(pageHeaders(policy)).type('text/html; charset=utf-8').send(markup)
}

/** 303: the browser follows with GET, whatever the method was. */
export function seeOther(reply: FastifyReply, location: string) {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' }).redirect(location, 303)
}
