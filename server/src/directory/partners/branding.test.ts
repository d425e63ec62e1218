import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
let count = 0

async function addPartner(portal_domain: string, name = 'Northwind'): Promise<string> {
  count += 1
  const admin = { name: 'Ada', email: `ada${count}@example.com`, password: 'correct horse battery' }
  return (await service.operator('POST', '/partners', { name, portal_domain, admin })).body.id
}

const signInAt = async (host: string) => (await new Browser(service, { host }).get('/sign-in')).body

it('a portal domain has the name, colour and logo of its partner', async () => {
  const id = await addPartner('northwind.test')
  assert.match(await signInAt('northwind.test'), /<span>Northwind<\/span>/)
  const logo = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
  await service.sql`
    update partners set accent_color = '#7a3cff', logo = ${logo}, logo_type = 'image/svg+xml' where id = ${id}`
  const body = await signInAt('Northwind.test:80')
  assert.ok(body.includes(`href="/pages/partners/${id}/accent.css"`))
  assert.ok(body.includes(`src="/pages/partners/${id}/logo" alt="Northwind"`))
  const style = await service.app.inject({ url: `/pages/partners/${id}/accent.css` })
  assert.match(style.body, /--accent:#7a3cff/)
  assert.match(String(style.headers['content-type']), /^text\/css/)
  const picture = await service.app.inject({ url: `/pages/partners/${id}/logo` })
  assert.equal(picture.headers['content-type'], 'image/svg+xml')
  assert.match(String(picture.headers['content-security-policy']), /default-src 'none'; sandbox/, 'an SVG runs nothing')
})

it('a shared host and an unknown host have the default brand', async () => {
  await addPartner('shared.test', 'One')
  await addPartner('shared.test', 'Two')
  for (const host of ['shared.test', 'nobody.test']) assert.match(await signInAt(host), /<span>Landbridge<\/span>/)
})

it('an unknown partner has no logo and no colour, whatever the form of its id', async () => {
  for (const id of ['nonsense', '00000000-0000-7000-8000-000000000000', '%00']) {
    assert.equal((await service.app.inject({ url: `/pages/partners/${id}/logo` })).statusCode, 404)
    assert.equal((await service.app.inject({ url: `/pages/partners/${id}/accent.css` })).body, '')
  }
})

it('the stylesheet of the pages can be cached forever', async () => {
  const address = /href="(\/pages\/stylesheet-\w+\.css)"/.exec(await signInAt('nobody.test'))![1]!
  const { statusCode, headers } = await service.app.inject({ url: address })
  assert.equal(statusCode, 200)
  assert.match(String(headers['cache-control']), /immutable/)
})
