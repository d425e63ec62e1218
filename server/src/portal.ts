import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
// Types `hide`: these pages are not part of the API document.
import type {} from '@fastify/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from './context.ts'
import { brandOfHost, isPortalDomain } from './directory/partners/branding.ts'
import type { App } from './platform/http/app.ts'
import { serveHashedFiles } from './platform/http/hashed-files.ts'
import { isPublicHost } from './platform/http/origin.ts'
import { accentStylesheet } from './platform/pages/accent.ts'
import { isolatedFromOpener, pageHeaders } from './platform/pages/headers.ts'
import { escapeHtml, html } from './platform/pages/html.ts'
import { type Brand, iconLink } from './platform/pages/page.ts'
import { sendRefusalPage } from './platform/pages/refusal-pages.ts'
import { chosenScheme, type Scheme } from './platform/pages/scheme.ts'

const builtBeside = new URL('../../portal/dist/', import.meta.url)

const notBuilt = 'The portal is not built. Run `npm run build`, then start the service again.'

/** The portal routes by itself below these paths; every other path keeps its own 404. */
const paths = ['/', '/customer', '/customer/*', '/partner', '/partner/*', '/help', '/help/*']
const consolePaths = ['/operator', '/operator/*']

/** Serves the built portal: one page for every path, and its hashed files, which never change. */
export async function portal(app: App, context: Context): Promise<void> {
  const { portalDir } = context.config
  const dist = portalDir === null ? builtBeside : pathToFileURL(`${portalDir}/`)
  const page = await readFile(new URL('index.html', dist), 'utf8').catch(() => null)

  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const { accept } = request.headers
    if (accept && !/text\/html|\*\/\*/.test(accept)) return reply.callNotFound()
    if (page === null) {
      return reply.code(503).type('text/plain').send(notBuilt)
    }
    const nonce = randomBytes(18).toString('base64')
    const brand = brandTags(await brandOfHost(context, request.host), nonce)
    return reply
      .headers({ ...pageHeaders(policy(nonce)), ...isolatedFromOpener })
      .type('text/html; charset=utf-8')
      .send(
        withScheme(page, chosenScheme(request))
          .replaceAll('__NONCE__', nonce)
          .replace('<!--brand-->', () => brand),
      )
  }
  for (const path of paths) app.get(path, { schema: { hide: true } }, sendPage)

  // The operator key is typed here, so never on a host whose DNS and certificate a partner controls (decision 6.7).
  const sendConsole = async (request: FastifyRequest, reply: FastifyReply) => {
    const { publicUrl } = context.addresses
    if (isPublicHost(publicUrl, request.host)) return sendPage(request, reply)
    if (await isPortalDomain(context, request.host)) return missingPage(context)(request, reply)
    return sendRefusalPage(reply, {
      status: 404,
      error: 'not_found',
      title: 'The operator console is not served here',
      sentence: 'It is served only on the public address of this service.',
      next: html`<a href="${publicUrl}/operator">Go to ${publicUrl}/operator</a>`,
    })
  }
  for (const path of consolePaths) app.get(path, { schema: { hide: true } }, sendConsole)

  if (page === null) return context.log.warn(notBuilt)
  await serveHashedFiles(app, { folder: new URL('assets/', dist), prefix: '/assets/' })
}

export function missingPage(context: Context) {
  return async (request: FastifyRequest, reply: FastifyReply) =>
    sendRefusalPage(reply, {
      status: 404,
      error: 'not_found',
      title: 'Page not found',
      sentence: 'The address may be incomplete or mistyped.',
      next: html`<a href="/">Go to the start page</a>`,
      brand: await brandOfHost(context, request.host),
    })
}

/** React and the charts set styles through the DOM, which needs no exception; the component library's stylesheet has the nonce. */
function policy(nonce: string): Record<string, string> {
  return {
    'script-src': "'self'",
    'style-src': `'self' 'nonce-${nonce}'`,
    'img-src': "'self' data:",
    'connect-src': "'self'",
  }
}

/** Before the first script: a page that becomes dark later flickers. */
function withScheme(page: string, scheme: Scheme | undefined): string {
  if (!scheme) return page
  const attributes = `data-scheme="${scheme}" data-mantine-color-scheme="${scheme}"`
  return page.replace('<html ', `<html ${attributes} `).replace('content="light dark"', `content="${scheme}"`)
}

/** Sent with the page, so that the brand needs no second request and its colour does not flicker. */
function brandTags({ name, accent, logo }: Brand, nonce: string): string {
  return [
    iconLink.markup,
    `<meta name="brand" content="${escapeHtml(name)}">`,
    logo && `<meta name="brand-logo" content="${escapeHtml(logo)}">`,
    accent && `<style nonce="${nonce}">${accentStylesheet(accent)}</style>`,
  ]
    .filter(Boolean)
    .join('')
}
