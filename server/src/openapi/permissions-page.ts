import { allPermissions, meanings, ofRole, type Permission } from '../directory/permissions.ts'
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

/** `a viewer has devices: read and spaces: read; …` */
const roleText = Object.entries(ofRole)
  .map(([role, held]) => {
    const steps = Object.entries(held).filter(([, level]) => level !== 'none')
    return `${role === 'operator' ? 'an' : 'a'} ${role} has ${steps.map(([area, level]) => `${area}: ${level}`).join(', ')}`
  })
  .join('; ')

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
<p>An administrator has all of them. A member has those of the roles that they or their groups were given, everywhere or in some
spaces: ${roleText}. A member who may look at devices is a viewer of everything.</p>
<p>An access token has what an administrator approved for its application, and an API key what it was given, everywhere or in some
spaces; unless somebody narrowed it, all but <code>devices: command</code> and <code>integrations: manage</code>. What is missing is
403 <code>not_approved</code> or <code>not_permitted</code>, with the permission in <code>missing</code>; what lies outside of the
spaces is 404. <code>/users</code> and <code>/groups</code> return an empty list to a token that lacks
<code>people: read</code>. <code>/permissions</code> says what the caller has.</p>
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
