import { Badge, Group, Paper, Stack, Text } from '@mantine/core'
import { CodeBlock } from '../components/page/copy.tsx'

/** One request and its response. */
export interface Exchange {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
  status: number
  responseHeaders: Record<string, string>
  responseBody: string
  ms: number
}

interface Request {
  method: string
  url: string
  headers?: Record<string, string>
  body?: string
  /** Secrets, and what to show instead. */
  hide?: Record<string, string>
}

const visibleHeaders = ['content-type', 'cache-control', 'pragma', 'www-authenticate', 'retry-after', 'x-request-id']

/** Without cookies, as a partner's cloud would send it. */
export async function exchange({ method, url, headers = {}, body, hide = {} }: Request): Promise<Exchange> {
  const started = performance.now()
  const response = await fetch(url, { method, headers, credentials: 'omit', ...(body === undefined ? {} : { body }) })
  const received = await response.text()
  const mask = (value: string) =>
    Object.entries(hide).reduce((text, [secret, name]) => (secret ? text.replaceAll(secret, name) : text), value)
  return {
    method,
    url: mask(new URL(url, location.origin).href),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value)])),
    ...(body === undefined ? {} : { body: mask(body) }),
    status: response.status,
    responseHeaders: Object.fromEntries([...response.headers].filter(([name]) => visibleHeaders.includes(name))),
    responseBody: pretty(received),
    ms: Math.round(performance.now() - started),
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

export function ExchangeView({
  exchange: { method, url, headers, body, status, responseHeaders, responseBody, ms },
}: {
  exchange: Exchange
}) {
  const lines = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => `${name}: ${value}`)
  const { pathname, search, host } = new URL(url)
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Text size="xs" c="dimmed" fw={600}>
          Request
        </Text>
        <CodeBlock
          label="Copy request"
          code={[
            `${method} ${pathname}${search} HTTP/1.1`,
            `host: ${host}`,
            ...lines(headers),
            ...(body ? ['', wrapForm(body)] : []),
          ].join('\n')}
        />
        <Group gap="xs">
          <Text size="xs" c="dimmed" fw={600}>
            Response
          </Text>
          <Badge size="sm" color={status < 300 ? 'green' : status < 400 ? 'gray' : 'red'}>
            {status}
          </Badge>
          <Text size="xs" c="dimmed">
            {ms} ms
          </Text>
        </Group>
        <CodeBlock
          label="Copy response"
          code={[...lines(responseHeaders), '', responseBody || '(empty body)'].join('\n')}
        />
      </Stack>
    </Paper>
  )
}

/** One parameter per line. */
function wrapForm(body: string): string {
  return body.startsWith('{') ? body : body.replaceAll('&', '\n&')
}
