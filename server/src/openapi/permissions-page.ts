import { allPermissions, meanings, type Permission } from '../directory/permissions.ts'
import type { App } from '../platform/http/app.ts'
import { html } from '../platform/pages/html.ts'
import { type Page, sendPage } from '../platform/pages/page.ts'
import type { Document } from './schema.ts'

/** Of every operation that declares one: said once. */
const prefix = '/core/v1/organization'

interface Listed {
  permission: string
  operation: string
  summary: string
}

/** `/docs/permissions`: which operation of the organization API needs which permission, as the operations themselves declare it. */
export function permissionsPage(app: App, readDocument: () => Document): void {
  let page: Page | undefined
  app.get('/docs/permissions', { schema: { hide: true } }, async (_request, reply) => {
    page ??= { title: 'Permissions', body: pageBody(readDocument()) }
    return sendPage(reply, 200, page)
  })
}

function pageBody(document: Document) {
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): Listed[] => {
      const permission = operation['x-permission']
      if (!permission) return []
      const below = path.slice(prefix.length)
      return [{ permission, operation: `${method.toUpperCase()} ${below}`, summary: operation.summary ?? '' }]
    }),
  )
  return html`<h1>Permissions</h1>
<p>What a caller of the organization API may do. In each area a step includes the ones before it.</p>
<p>An administrator has all of them. An access token and an API key have all but <code>devices: command</code> and
<code>integrations: manage</code>. A member who may look at devices has <code>devices: read</code> and
<code>spaces: read</code>.</p>
<p class="quiet">All paths begin with <code>${prefix}</code>.</p>
${allPermissions.map((permission) => section(permission, listed))}
<p><a href="/docs">API reference</a></p>`
}

function section(permission: Permission, listed: Listed[]) {
  const operations = listed.filter((one) => one.permission === permission)
  return html`<h2 id="${permission.replace(': ', '-')}">${permission}</h2>
<p>${meanings[permission]}</p>
${
  operations.length > 0 &&
  html`<ul>${operations.map(({ operation, summary }) => html`<li><code>${operation}</code><br>${summary}</li>`)}</ul>`
}`
}
