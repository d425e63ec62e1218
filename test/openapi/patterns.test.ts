// No text that a caller can send keeps a pattern busy: a pattern that backtracks blocks the main thread for all requests.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { newMac, newModel } from '../support/devices.ts'
import { startHarness } from '../support/harness.ts'
import { requireWithin } from '../support/until.ts'
import type { Schema } from './document.ts'

const service = await startHarness()
const document = (await service.app.inject({ url: '/openapi.json' })).json<object>()

/** What a header, an address or a form field of one request can be at most. */
const maxCharacters = 16 * 1024
/** A quadratic pattern takes hundreds of milliseconds for as much. */
const maxMilliseconds = 100

/** Files whose patterns never see what a caller sent. Each needs its reason. */
const trusted: Record<string, string> = {
  'server/src/config.ts': 'reads the environment',
  'server/src/platform/environment.ts': 'reads the environment',
}

describe('decision 10.8: every pattern of the OpenAPI document', () => {
  const schemas = schemasWithPattern(document)

  it('there are some', () => assert.ok(schemas.length >= 5))

  for (const [pattern, schema] of new Map(schemas.map((schema) => [schema.pattern!, schema]))) {
    it(`${pattern} has a maxLength, and judges hostile text of that length and beyond in time`, () => {
      assert.ok(schema.maxLength !== undefined, 'a pattern needs a maxLength beside it')
      for (const length of [schema.maxLength, 2 * schema.maxLength, maxCharacters])
        timed(new RegExp(pattern, 'u'), length)
    })
  }
})

describe('every pattern of the OpenAPI document is one for every language', () => {
  for (const pattern of new Set(schemasWithPattern(document).map(({ pattern }) => pattern!))) {
    it(pattern, () => {
      assert.doesNotMatch(pattern, /\\[pPkcZAz]|\\u\{|\(\?</, 'Python, Go and others do not know it')
      // As validators of other languages read it: without the flag that makes one character of a pair.
      new RegExp(pattern)
    })
  }

  it('a serial number has no hidden characters, wherever they are in Unicode', async () => {
    const { id: device_model, hardware_key } = await newModel(service)
    for (const hidden of ['\u0001', '\u200b', '\u202e', '\ue000', '\ufeff', '\u{e0041}', '\u{1d173}']) {
      const payload = { device_model, hardware_key, mac: newMac(), sn: `S${hidden}1`, firmware_version: '1.0.0' }
      const response = await service.app.inject({ method: 'POST', url: '/v1/devices', payload })
      assert.deepEqual([response.statusCode, response.json().details[0].field], [422, 'sn'], JSON.stringify(hidden))
    }
    const payload = { device_model, hardware_key, mac: newMac(), sn: 'Sérié №1 😀', firmware_version: '1.0.0' }
    const taken = await service.app.inject({ method: 'POST', url: '/v1/devices', payload })
    assert.equal(taken.json().id?.length, 36, taken.body)
  })
})

/** A regular expression literal of TypeScript, after what may precede one. */
const literal =
  /(?<=[=(,?:!&|[]\s*|return )\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?=[\s.,;)])/g

const found = new Map<string, string>()
for await (const file of glob('server/src/**/*.ts')) {
  if (/\.test\.ts$|\/testing\/|\/testing\.ts$|\/cli\//.test(file)) continue
  for (const [, source, flags] of (await readFile(file, 'utf8')).matchAll(literal)) {
    found.set(`/${source}/${flags}`, file)
  }
}

describe('decision 10.8: every pattern in the code of the service', () => {
  it('there are some', () => assert.ok(found.size >= 30, String(found.size)))

  for (const [text, file] of found) {
    if (file in trusted) continue
    it(`${text} in ${file}`, () => {
      const end = text.lastIndexOf('/')
      timed(new RegExp(text.slice(1, end), text.slice(end + 1).replace('y', '')), maxCharacters)
    })
  }
})

describe('decision 10.8: a length is judged before a pattern', () => {
  for (const tail of ['\u0001', '']) {
    it(`a name of 200,000 characters${tail && ' and a control character'} → 422 at once`, async () => {
      const { operator } = service
      await operator('POST', '/partners', { name: '' })
      const admin = { name: 'Ada', email: 'a'.repeat(20_000), password: 'correct horse battery' }
      const name = `${'a'.repeat(200_000)}${tail}`
      await requireWithin(200, async () => {
        const began = process.threadCpuUsage()
        const refused = await operator('POST', '/partners', { name, portal_domain: `${'a-'.repeat(5_000)}!`, admin })
        const { user, system } = process.threadCpuUsage(began)
        assert.equal(refused.status, 422)
        const fields = refused.body.details.map(({ field }: { field: string }) => field)
        assert.deepEqual(fields.toSorted(), ['admin.email', 'name', 'portal_domain'])
        return (user + system) / 1000
      })
    })
  }
})

const heads = [
  '',
  'bearer ',
  'Basic ',
  'https://',
  '1.2.3-',
  '#',
  '::ffff:',
  '/',
  'lbd_',
  'a',
  'a@',
  '0:',
  '$argon2id$v=19$m=',
]
const bodies = [
  'a',
  '0',
  ' ',
  '-',
  '.',
  ':',
  '/',
  '=',
  'A',
  '\u00a0',
  'é',
  '😀',
  '\t',
  '0:',
  'a.',
  'a-',
  '0.',
  ' a',
  '[',
  ']',
  '"',
  '&',
  ',',
]
const tails = ['\u0001', '\n', '!', '', '\u2028']

function timed(pattern: RegExp, length: number): void {
  for (const head of heads) {
    for (const body of bodies) {
      for (const tail of tails) {
        const text = head + body.repeat(length / body.length) + tail
        const took = millisecondsOf(() => text.replace(pattern, ''))
        assert.ok(took < maxMilliseconds, `${head}${body}…${tail}: ${took} ms`)
      }
    }
  }
}

/** Processor time: whatever else the machine does is not in it. */
function millisecondsOf(work: () => unknown): number {
  const began = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1000
}

/** `properties` may have a member named `pattern`: that one is a schema itself. */
function schemasWithPattern(node: unknown): Schema[] {
  if (typeof node !== 'object' || node === null) return []
  const inside = Object.values(node).flatMap(schemasWithPattern)
  return typeof (node as Schema).pattern === 'string' ? [node as Schema, ...inside] : inside
}
