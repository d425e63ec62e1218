// The cases that the makers of Standard Webhooks test their own library with, and more like them: the kit judges each as it does.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { LandbridgeError, readWebhook, WebhookRefused, webhookHandler } from '../../client/src/index.ts'
import { mintWebhookSecret, signatureHeaders } from '../../server/src/events/webhooks/signature.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const body = '{"test": 2432232314}'
const foreign = 'Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc='

type Headers = Record<string, string>

interface Case {
  title: string
  valid: boolean
  secret?: string
  body?: string
  /** Seconds from now at which it was sent. */
  sent?: number
  change?(headers: Headers): Headers
}

const signature = (change: (good: string) => string) => (headers: Headers) => ({
  ...headers,
  'webhook-signature': change(headers['webhook-signature']!),
})
const without = (name: string) => (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name))

const cases: Case[] = [
  { title: 'a signature by the secret', valid: true },
  { title: 'a secret without its prefix', valid: true, secret: secret.slice('whsec_'.length) },
  { title: 'no id', valid: false, change: without('webhook-id') },
  { title: 'no timestamp', valid: false, change: without('webhook-timestamp') },
  { title: 'no signature', valid: false, change: without('webhook-signature') },
  {
    title: 'a timestamp that is no number',
    valid: false,
    change: (headers) => ({ ...headers, 'webhook-timestamp': 'hello' }),
  },
  { title: 'another signature', valid: false, change: signature(() => 'v1,dawfeoifkpqwoekfpqoekf') },
  { title: 'a part of the signature', valid: false, change: signature((good) => good.slice(0, 8)) },
  { title: 'an empty signature', valid: false, change: signature(() => 'v1,') },
  { title: 'a version without a signature', valid: false, change: signature(() => 'v1') },
  { title: 'a signature without its version', valid: false, change: signature((good) => good.slice(3)) },
  { title: 'the signature as another version', valid: false, change: signature((good) => good.replace('v1', 'v2')) },
  { title: 'sent 299 seconds ago', valid: true, sent: -299 },
  { title: 'sent 301 seconds ago', valid: false, sent: -301 },
  { title: 'sent in 299 seconds', valid: true, sent: 299 },
  { title: 'sent in 302 seconds', valid: false, sent: 302 },
  {
    title: 'the signature among others',
    valid: true,
    change: signature((good) => `v1,${foreign} v2,${foreign} ${good} v1,${foreign}`),
  },
  { title: 'only others', valid: false, change: signature(() => `v1,${foreign} v2,${foreign}`) },
  { title: 'another body', valid: false, body: `${body} ` },
  { title: 'another id', valid: false, change: (headers) => ({ ...headers, 'webhook-id': `${id}x` }) },
  { title: 'another secret', valid: false, secret: mintWebhookSecret() },
  {
    title: 'names of headers as the sender writes them',
    valid: true,
    change: (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace('webhook', 'Webhook'), value])),
  },
]

function deliveryOf({ sent = 0, change = (headers) => headers, ...given }: Case, secrets = [secret]) {
  const at = new Date(Date.now() + sent * 1000)
  return { headers: change(signatureHeaders({ id, at, payload: body }, secrets)), body: given.body ?? body }
}

async function kitAccepts(secrets: string | string[], { headers, body }: ReturnType<typeof deliveryOf>) {
  return await readWebhook(secrets, headers, body).then(
    () => true,
    (error) => {
      assert.ok(error instanceof WebhookRefused, String(error))
      return false
    },
  )
}

function libraryAccepts(given: string, { headers, body }: ReturnType<typeof deliveryOf>): boolean {
  try {
    new Webhook(given).verify(body, headers)
    return true
  } catch (error) {
    assert.equal((error as Error).name, 'WebhookVerificationError')
    return false
  }
}

describe('Standard Webhooks: the kit and the library judge alike', () => {
  for (const each of cases) {
    it(`${each.title}: ${each.valid ? 'accepted' : 'refused'}`, async () => {
      const delivery = deliveryOf(each)
      assert.equal(libraryAccepts(each.secret ?? secret, delivery), each.valid, 'the library')
      assert.equal(await kitAccepts(each.secret ?? secret, delivery), each.valid, 'the kit')
    })
  }

  it('during a rotation both secrets sign: a receiver with either accepts it, and with a third refuses it', async () => {
    const [old, next, other] = [mintWebhookSecret(), mintWebhookSecret(), mintWebhookSecret()]
    const delivery = deliveryOf({ title: '', valid: true }, [next, old])
    for (const [given, valid] of [
      [old, true],
      [next, true],
      [other, false],
    ] as const) {
      assert.equal(libraryAccepts(given, delivery), valid)
      assert.equal(await kitAccepts(given, delivery), valid)
    }
    assert.equal(await kitAccepts([other, old], delivery), true)
  })

  it('what cannot be a secret is refused before a delivery comes', () => {
    for (const given of ['', 'whsec_', undefined, null, 'no base64!'] as string[]) {
      assert.throws(() => new Webhook(given), `the library: ${given}`)
      assert.throws(() => webhookHandler({ secrets: given, onEvent() {} }), LandbridgeError, `the kit: ${given}`)
    }
    assert.throws(() => webhookHandler({ secrets: [], onEvent() {} }), LandbridgeError)
  })

  it('the service signs the vector of the library’s own test to the byte', () => {
    const headers = signatureHeaders({ id, at: new Date(1_614_265_330_000), payload: body }, [secret])
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('an empty body that is signed is no event, and an error of the kit', async () => {
    const headers = signatureHeaders({ id, at: new Date(), payload: '' }, [secret])
    assert.equal(new Webhook(secret).verify('', headers), undefined)
    await assert.rejects(readWebhook(secret, headers, ''), SyntaxError)
  })
})
