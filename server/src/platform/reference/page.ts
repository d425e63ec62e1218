import { readFileSync } from 'node:fs'
import type { App } from '../http/server.ts'
import { isolatedFromOpener, pageHeaders } from '../pages/headers.ts'
import { type Content, html } from '../pages/html.ts'
import { stylesheetAddress } from '../pages/stylesheet.ts'
import { digest } from '../secrets/secrets.ts'
import { fieldTable, type Schema, schemaTable } from './schema-table.ts'

interface Operation {
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, string[]>[]
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>
}

interface Document {
  info: { title: string; version: string; description?: string }
  tags?: { name: string; description?: string }[]
  paths?: Record<string, Record<string, Operation>>
}

const look = readFileSync(new URL('reference.css', import.meta.url), 'utf8')
const referenceLook = `/docs/reference-${digest(look).toString('hex').slice(0, 12)}.css`

/** The API reference, drawn from the description: no script, no other host, nothing to load but two stylesheets. */
export function referencePage(app: App): void {
  let page: string | undefined
  app.get('/docs', { schema: { hide: true } }, async (_request, reply) => {
    page ??= draw(app.swagger() as unknown as Document)
    return reply
      .headers({ ...pageHeaders(), ...isolatedFromOpener })
      .type('text/html; charset=utf-8')
      .send(page)
  })
  app.get(referenceLook, { schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').type('text/css; charset=utf-8').send(look),
  )
}

function draw({ info, tags = [], paths = {} }: Document): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const named = new Map(tags.map((tag) => [tag.name, tag]))
  for (const name of operations.flatMap(({ operation }) => operation.tags ?? [])) {
    if (!named.has(name)) named.set(name, { name })
  }
  const chapters = [...named.values()]
    .map((tag) => ({ ...tag, entries: operations.filter(({ operation }) => operation.tags?.includes(tag.name)) }))
    .filter(({ entries }) => entries.length > 0)
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · ${info.title}</title>
<link rel="stylesheet" href="${stylesheetAddress}">
<link rel="stylesheet" href="${referenceLook}">
</head>
<body class="reference">
<nav aria-label="Chapters">
<a class="title" href="#top">${info.title} <span class="quiet">${info.version}</span></a>
${chapters.map(({ name, entries }) => html`<a href="#${anchor(name)}">${name} <span class="quiet">${entries.length}</span></a>`)}
<a href="/openapi.json">openapi.json</a>
</nav>
<main id="top">
<h1>API reference</h1>
<p>${info.description} Bodies are JSON. A refusal is <code>{error, code, details?}</code>: show
<code>error</code>, branch on <code>code</code>. Every answer carries <code>X-Request-Id</code>, which names it in the log.</p>
${chapters.map(
  ({ name, description, entries }) => html`<section id="${anchor(name)}" aria-labelledby="${anchor(name)}-title">
<h2 id="${anchor(name)}-title">${name}</h2>
<p>${description}</p>
${entries.map(({ method, path, operation }) => drawOperation(method, path, operation))}
</section>`,
)}
</main>
</body>
</html>
`
  return markup
}

function anchor(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

function drawOperation(method: string, path: string, operation: Operation): Content {
  const body = Object.entries(operation.requestBody?.content ?? {})
  const parameters = (operation.parameters ?? []).map(({ name, in: place, required = false, description, schema }) => ({
    name: place === 'query' ? `?${name}` : place === 'path' ? `{${name}}` : `${name}:`,
    required,
    schema: description === undefined ? schema : { ...schema, description },
  }))
  const credentials = operation.security?.map((choice) => Object.keys(choice).join(' + ') || 'none') ?? []
  return html`<details id="${method}-${path}">
<summary><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>
<span class="quiet">${operation.summary}</span></summary>
${operation.description && html`<p>${operation.description}</p>`}
${credentials.length > 0 && html`<p class="quiet">Opened by: ${credentials.join(', or ')}.</p>`}
${parameters.length > 0 && html`<h3>Parameters</h3>${fieldTable(parameters)}`}
${body.map(([type, { schema }]) => html`<h3>Body <span class="quiet">${type}</span></h3>${schema && schemaTable(schema)}`)}
<h3>Answers</h3>
${Object.entries(operation.responses ?? {}).map(([status, answer]) => drawAnswer(status, answer))}
</details>`
}

function drawAnswer(
  status: string,
  { description, content = {} }: NonNullable<Operation['responses']>[string],
): Content {
  const schema = Object.values(content)[0]?.schema
  const words = description === 'Default Response' ? undefined : description
  // A refusal's fields are told once, at the top.
  const fields = Number(status) < 400 && schema ? schemaTable(schema) : null
  return html`<h4><code>${status}</code> ${words}</h4>${fields}`
}
