import type { FastifyReply } from 'fastify'
import { type Directives, pageHeaders } from './headers.ts'
import { type Content, html } from './html.ts'
import { stylesheetAddress } from './stylesheet.ts'

/** Whose house the visitor stands in: the partner whose portal domain this is, or Landbridge itself. */
export interface Brand {
  name: string
  /** Serves the accent colour: a colour written into the page would need 'unsafe-inline'. */
  stylesheet?: string | undefined
  logo?: string | undefined
}

export const ownBrand: Brand = { name: 'Landbridge' }

export interface Page {
  title: string
  body: Content
  brand?: Brand | undefined
}

export function renderPage({ title, body, brand = ownBrand }: Page): string {
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${brand.name}</title>
<link rel="stylesheet" href="${stylesheetAddress}">
${brand.stylesheet && html`<link rel="stylesheet" href="${brand.stylesheet}">`}
</head>
<body>
<header class="brand">
${brand.logo ? html`<img src="${brand.logo}" alt="${brand.name}">` : html`<span class="mark" aria-hidden="true"></span><span>${brand.name}</span>`}
</header>
<main class="card">
${body}
</main>
${brand.name !== ownBrand.name && html`<footer class="foot">Provided by ${brand.name} with Landbridge</footer>`}
</body>
</html>
`
  return markup
}

/** The one writer of pages: no page leaves without its headers. `policy` changes single directives. */
export function sendPage(reply: FastifyReply, status: number, page: Page, policy: Directives = {}) {
  return reply.code(status).headers(pageHeaders(policy)).type('text/html; charset=utf-8').send(renderPage(page))
}

/** 303: the browser comes with GET, whatever brought it here. */
export function seeOther(reply: FastifyReply, location: string) {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' }).redirect(location, 303)
}
