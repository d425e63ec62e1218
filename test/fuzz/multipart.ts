// Files as browsers upload them. Nothing takes multipart, so that every such body is refused; a logo is base64 in JSON.
import type { Random } from '../histories/record/random.ts'
import type { Operation } from '../openapi/document.ts'
import type { FuzzRequest } from '../openapi/requests.ts'
import { faultOf } from './api.ts'
import type { Source, Try } from './kinds.ts'
import { oddText } from './odd-text.ts'
import type { Reply } from './wire.ts'
import type { World, Worlds } from './worlds.ts'

const pages = ['/sign-in', '/consent', '/account/password', '/oauth/authorize', '/link/lbo_x']

export function multipartSource(worlds: Worlds, operations: Operation[]): Source {
  const withLogo = operations.filter(({ body }) => body?.schema.properties?.logo)
  let turn = 0
  return (random) => {
    turn += 1
    const world = worlds.take(turn)
    if (random.chance(0.3)) return logoTry(random, world, random.pick(withLogo))
    if (random.chance(0.2)) return pageTry(random, world)
    // Of an operation with a body: its address and its caller are right.
    for (;;) {
      const request = world.nextRequest()
      if (request.payload !== undefined) return multipartTry(random, request)
    }
  }
}

function multipartTry(random: Random, { operation, method, url, headers }: FuzzRequest): Try {
  const { type, payload } = multipart(random)
  const others = Object.entries(headers).filter(([name]) => name !== 'content-type')
  const judge = (reply: Reply) => {
    // Contract 4.4: userinfo reads no body.
    const accepted = reply.status < 300 && operation.path !== '/oauth/userinfo'
    return accepted ? 'a multipart body was accepted' : faultOf(operation, url, reply)
  }
  return {
    operation: `multipart to ${operation.id}`,
    shot: { method, url, headers: [...others, ['content-type', type]], payload },
    judge,
  }
}

function pageTry(random: Random, { visitor }: World): Try {
  const path = random.pick(pages)
  const { type, payload } = multipart(random)
  const headers = [...Object.entries(visitor.headers), ['content-type', type] as [string, string]]
  const judge = ({ status }: Reply) => (status < 400 ? 'a multipart body was accepted' : null)
  return { operation: `multipart to ${path}`, shot: { method: 'POST', url: path, headers, payload }, judge }
}

function multipart(random: Random): { type: string; payload: Buffer } {
  const boundary = random.pick([
    'x',
    '----WebKitFormBoundaryA1',
    '-'.repeat(70),
    'a b',
    "'()+_,-./:=?",
    'y'.repeat(2_000),
  ])
  const parts = Array.from({ length: random.chance(0.01) ? 300 : random.integer(0, 5) }, () => part(random, boundary))
  const end = random.chance(0.8)
    ? `--${boundary}--\r\n`
    : random.pick(['', `--${boundary}`, '--', `--${boundary}-\r\n`])
  const named = random.pick([
    `; boundary=${boundary}`,
    `; boundary="${boundary}"`,
    '',
    '; boundary=',
    '; boundary=z',
    ';;=',
  ])
  const kind = random.pick(['form-data', 'form-data', 'mixed', 'related', '', 'FORM-DATA'])
  return { type: `multipart/${kind}${named}`, payload: Buffer.concat([...parts, Buffer.from(end)]) }
}

function part(random: Random, boundary: string): Buffer {
  const name = random
    .pick(['logo', 'file', 'email', 'name', '__proto__', ''])
    .concat(random.chance(0.2) ? oddText(random) : '')
  const file = random.pick([
    '',
    '; filename="a.csv"',
    '; filename="../../x"',
    "; filename*=UTF-8''%ff",
    `; filename="${oddText(random)}"`,
  ])
  const line = random.chance(0.95) ? '\r\n' : random.pick(['\n', '\r', ''])
  const type = random.pick([
    '',
    'content-type: image/png',
    'content-type: text/csv; charset=x',
    'content-transfer-encoding: base64',
    `x: ${'y'.repeat(9_000)}`,
  ])
  const head = [`--${boundary}`, `content-disposition: form-data; name="${name}"${file}`, ...(type ? [type] : []), '']
  const content = random.chance(0.3) ? picture(random).bytes : Buffer.from(oddText(random))
  return Buffer.concat([Buffer.from(head.join(line) + line), content, Buffer.from(line)])
}

/** The right member of the right body, with a picture that is whole or not. */
function logoTry(random: Random, world: World, operation: Operation): Try {
  const { tenant } = world
  const ofPartner = operation.path.startsWith('/core/v1/partner/')
  const { bytes, type } = picture(random)
  const data = bytes.toString(random.pick(['base64', 'base64', 'base64', 'base64url', 'hex', 'latin1']))
  const logo = { type: random.chance(0.85) ? type : random.pick(['image/svg+xml', 'image/png', '', null]), data }
  const url = operation.path
    .replace('{id}', tenant.application.client_id)
    .replace('{client_id}', tenant.application.client_id)
  const session = ofPartner ? tenant.credentials.partner.session! : tenant.credentials.organization.session!
  return {
    operation: operation.id,
    shot: {
      method: operation.method,
      url,
      headers: [...Object.entries(session), ['content-type', 'application/json']],
      payload: JSON.stringify(random.chance(0.95) ? { logo } : { logo: data }),
    },
    judge: (reply) => faultOf(operation, url, reply),
  }
}

const starts: Record<string, string> = {
  'image/png': '89504e470d0a1a0a0000000d49484452',
  'image/jpeg': 'ffd8ffe000104a464946',
  'image/webp': '52494646ffffffff574542505650384c',
}

function picture(random: Random): { bytes: Buffer; type: string } {
  const type = random.pick(Object.keys(starts))
  const start = Buffer.from(starts[type]!, 'hex')
  const length = random.weighted({ 0: 2, 10: 4, 3000: 4, 131072: 0.3, 140000: 0.3 })
  const bytes = Buffer.concat([start, Buffer.from(random.hex(16).repeat(Math.ceil(Number(length) / 16)), 'hex')])
  if (random.chance(0.2)) bytes[random.integer(0, start.length - 1)] = random.integer(0, 255)
  return { bytes: random.chance(0.1) ? bytes.subarray(0, random.integer(0, 12)) : bytes, type }
}
