import type { Operation, Parameter, Schema } from './schema.ts'

interface Call {
  method: string
  path: string
  operation: Operation
  /** An example of the body, if there is one. */
  body: unknown
  form: boolean
}

const server = 'https://landbridge.example.com'

/** For readers who copy and paste: curl, the kit where it has the call, and Python with requests. */
export function codeSamples(call: Call): NonNullable<Operation['x-codeSamples']> {
  const kit = kitSample(call)
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(call) },
    ...(kit ? [{ lang: 'TypeScript', label: '@landbridge/client', source: kit }] : []),
    { lang: 'Python', label: 'Python', source: pythonSample(call) },
  ]
}

function curlSample(call: Call): string {
  const { method, body, form } = call
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} '${server}${addressOf(call, (name) => `<${name}>`)}'`]
  const authorization = authorizationOf(call)
  if (authorization) lines.push(`-H 'Authorization: ${authorization}'`)
  if (needsSession(call)) lines.push(`--cookie '${sessionCookie}=<session>'`)
  if (needsSession(call) && method !== 'GET') lines.push(`-H 'Origin: ${server}'`)
  if (form) {
    for (const [name, value] of Object.entries(body as object)) lines.push(`--data-urlencode '${name}=${value}'`)
  } else if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`)
  }
  return lines.join(' \\\n  ')
}

function pythonSample(call: Call): string {
  const { method, body, form } = call
  const authorization = authorizationOf(call)
  const address = addressOf(call, (name) => `{${name}}`)
  const quoted = `${address.includes('{') ? 'f' : ''}"${server}${address}"`
  const lines = [
    `    ${quoted},`,
    ...(authorization ? [`    headers={"Authorization": "${authorization}"},`] : []),
    ...(needsSession(call) ? [`    cookies={"${sessionCookie}": "<session>"},`] : []),
    ...(needsSession(call) && method !== 'GET' ? [`    headers={"Origin": "${server}"},`] : []),
    ...(body === undefined ? [] : [`    ${form ? 'data' : 'json'}=${pythonText(body)},`]),
    '    timeout=30,',
  ]
  return `import requests\n\nresponse = requests.${method.toLowerCase()}(\n${lines.join('\n')}\n)\nresponse.raise_for_status()\nprint(response.${returnsJson(call) ? 'json()' : 'text'})`
}

function kitSample(call: Call): string | null {
  const { path, operation, body } = call
  const json = body === undefined ? '' : JSON.stringify(body)
  switch (operation.operationId) {
    case 'connector.register': {
      const { mac, sn, firmware_version } = body as Record<string, string>
      return `const device = await model.register(${JSON.stringify({ mac, sn, firmware_version })})`
    }
    case 'connector.send':
      return `await model.send(device, ${json})`
    case 'connector.sendMany':
      return `const results = await model.sendMany([{ device, telemetry: { status: 'online', telemetries: { temperature: 21.5 } } }])`
  }
  const [, api] = /^\/core\/v1\/(organization|partner)\//.exec(path) ?? []
  if (!api || needsSession(call)) return null
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => camelCase(name!))
  const query = requiredQuery(call)
  const given = [...ids, ...(json ? [json] : []), ...(query.length > 0 ? [`{ ${query.join(', ')} }`] : [])]
  const kitCall = `${api}.${operation.operationId.replace(/^partner\./, '')}(${given.join(', ')})`
  if (isList(call) || isStream(call)) return `for await (const item of ${kitCall}) console.log(item)`
  return `${successOf(call).content ? 'const result = ' : ''}await ${kitCall}`
}

function addressOf(call: Call, placeholder: (name: string) => string): string {
  const { path } = call
  const query = requiredQuery(call)
    .map((name) => `${name}=${placeholder(name)}`)
    .join('&')
  return path.replace(/\{(\w+)\}/g, (_, name: string) => placeholder(name)) + (query ? `?${query}` : '')
}

function requiredQuery({ operation }: Call): string[] {
  const parameters = (operation.parameters ?? []).filter((parameter): parameter is Parameter => 'in' in parameter)
  return parameters.filter((parameter) => parameter.in === 'query' && parameter.required).map(({ name }) => name)
}

const sessionCookie = '__Host-landbridge'

/** Whether a token or a key is refused here. */
function needsSession({ operation }: Call): boolean {
  const schemes = (operation.security ?? []).flatMap((scheme) => Object.keys(scheme))
  const onlySession = schemes.length === 1 && schemes[0] === 'session'
  return onlySession || JSON.stringify(operation.responses['403'] ?? '').includes('"portal_session_required"')
}

/** What a program sends: a session is for browsers. */
function authorizationOf(call: Call): string | null {
  if (needsSession(call)) return null
  const { operation } = call
  const schemes = (operation.security ?? []).flatMap((scheme) => Object.keys(scheme))
  const [scheme] = schemes.filter((name) => name !== 'session' && name !== 'client')
  if (scheme === undefined) return null
  return (
    { bearer: 'Bearer <access token>', deviceKey: '<access key>', operatorKey: '<operator key>' }[scheme] ?? '<API key>'
  )
}

function successOf({ operation }: Call): { content?: object } {
  const [, response] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? []
  return response && 'content' in response ? response : {}
}

function returnsJson(call: Call): boolean {
  return 'application/json' in (successOf(call).content ?? {})
}

function isStream(call: Call): boolean {
  return 'text/event-stream' in (successOf(call).content ?? {})
}

function isList(call: Call): boolean {
  const { content = {} } = successOf(call) as { content?: Record<string, { schema?: Schema }> }
  const { items, next } = content['application/json']?.schema?.properties ?? {}
  return items !== undefined && next !== undefined
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function pythonText(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonText).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, part]) => `${JSON.stringify(name)}: ${pythonText(part)}`)
    .join(', ')}}`
}
