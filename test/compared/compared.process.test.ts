import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startHarness } from '../support/harness.ts'
import { landbridge } from './landbridge.ts'
import { startOidcProvider } from './oidc-provider.ts'
import { Caller, cases, challenge } from './requests.ts'

// One address makes more than 60 token requests here: each is forwarded from another by the fetch below.
const service = await startHarness({ LANDBRIDGE_TRUST_PROXY: '127.0.0.1' })
const theirs = await startOidcProvider(challenge)
after(() => theirs.stop())
const contenders = [new Caller(await landbridge(service, challenge)), new Caller(theirs)] as const

let calls = 0
const plain = globalThis.fetch
globalThis.fetch = (input, init) => {
  calls += 1
  const headers = new Headers(init?.headers)
  headers.set('x-forwarded-for', `10.9.${calls >> 8}.${calls & 255}`)
  return plain(input, { ...init, headers })
}

const file = fileURLToPath(new URL('../../docs/compared.md', import.meta.url))
const rows: string[] = []

describe('the same requests to landbridge and to oidc-provider', () => {
  for (const { title, ask, why } of cases) {
    it(`${title}: ${why ? 'they differ, for a reason' : 'they agree'}`, async () => {
      const [ours, other] = [await ask(contenders[0]), await ask(contenders[1])]
      if (why) assert.notEqual(ours, other, 'they agree by now: take the reason away')
      else assert.equal(ours, other)
      rows.push(`| ${title} | \`${ours}\` | ${why ? `\`${other}\`` : 'the same'} | ${why ?? ''} |`)
    })
  }

  it('docs/compared.md says what was just seen', async () => {
    const text = `${heading}${rows.join('\n')}\n`
    if (process.env.LANDBRIDGE_WRITE_DOCS) await writeFile(file, text)
    assert.equal(await readFile(file, 'utf8'), text, 'run it again with LANDBRIDGE_WRITE_DOCS=true')
  })
})

const heading = `# Compared with oidc-provider

The same black-box requests are sent to Landbridge and to npm [oidc-provider](https://github.com/panva/node-oidc-provider),
a certified OpenID provider. Where the two differ, the last column says why. The table is written and checked by
\`npm test -- test/compared/compared.process.test.ts\`; section numbers are those of [contract.md](contract.md).

| request | Landbridge | oidc-provider | why they differ |
|---|---|---|---|
`
