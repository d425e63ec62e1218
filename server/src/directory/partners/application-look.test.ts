import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerApplication } from '../../../../test/support/applications.ts'
import { walkToConsent } from '../../../../test/support/consent.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { newId } from '../../platform/secrets/identifiers.ts'

const service = await startHarness()
const application = await registerApplication(service)
const path = `/applications/${application.client_id}`

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const logoOf = (type: string, bytes: Buffer | string) => ({ type, data: Buffer.from(bytes).toString('base64') })
const change = (body: object) => service.operator('PATCH', path, body)

describe('the logo of an application', () => {
  it('is a PNG, JPEG or WebP by its first bytes, of at most 128 KiB', async () => {
    const webp = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8 ')])
    for (const logo of [
      logoOf('image/png', png),
      logoOf('image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])),
      logoOf('image/webp', webp),
    ]) {
      assert.equal((await change({ logo })).status, 200, logo.type)
    }
    for (const logo of [
      logoOf('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      logoOf('image/png', '<svg onload="alert(1)"/>'),
      logoOf('image/jpeg', png),
      logoOf('image/png', ''),
      logoOf('image/png', Buffer.concat([png, Buffer.alloc(128 * 1024)])),
      { type: 'image/png', data: 'x'.repeat(180_001) },
      { type: 'image/png', url: 'https://evil.example/logo.png' },
    ]) {
      const { status, body } = await change({ logo })
      assert.equal(status, 422, JSON.stringify(body))
    }
  })

  it('is served by us, at an address that changes with it, and never as a document', async () => {
    const { body: first } = await change({ logo: logoOf('image/png', png) })
    const response = await service.app.inject({ url: first.logo })
    assert.equal(response.statusCode, 200)
    assert.deepEqual(response.rawPayload, png)
    assert.equal(response.headers['content-type'], 'image/png')
    assert.equal(response.headers['x-content-type-options'], 'nosniff')
    assert.equal(response.headers['content-security-policy'], "default-src 'none'; sandbox")
    const { body: second } = await change({ logo: logoOf('image/png', Buffer.concat([png, png])) })
    assert.notEqual(second.logo, first.logo)
    const { body: none } = await change({ logo: null })
    assert.equal(none.logo, null)
    for (const id of [application.client_id, newId(), 'nonsense', '%00']) {
      assert.equal((await service.app.inject({ url: `/pages/applications/${id}/logo` })).statusCode, 404, id)
    }
  })
})

describe('the home page of an application', () => {
  it('is an https address, or none', async () => {
    for (const home_page of [
      'http://app.example.com',
      'javascript:alert(1)',
      'https://',
      'https://ada:secret@app.example.com',
      'https://app.example.com\\@evil.example',
      'https://app.example.com/ x',
      'https://äpp.example.com',
      `https://app.example.com/${'x'.repeat(500)}`,
      '',
    ]) {
      assert.equal((await change({ home_page })).status, 422, home_page)
    }
    assert.equal((await change({ home_page: null })).body.home_page, null)
    assert.equal((await change({ home_page: 'https://app.example.com/"><b>' })).status, 200)
  })

  it('is shown with the logo at sign-in and consent, escaped; a change is audited by its fields', async () => {
    const { body } = await change({ logo: logoOf('image/png', png), name: 'Dash <b>' })
    const { page, browser } = await walkToConsent(service, application)
    const shown = `<img src="${body.logo.replaceAll('&', '&#38;')}" alt="">`
    const link = 'href="https://app.example.com/&#34;&#62;&#60;b&#62;" target="_blank" rel="noopener noreferrer"'
    assert.ok(page.body.includes(shown) && page.body.includes(link), page.body)
    assert.match(page.body, /Dash &#60;b&#62;/)
    const request = /name="request" value="([^"]+)"/.exec(page.body)![1]
    const consent = encodeURIComponent(`/consent?request=${request}`)
    const signIn = await browser.get(`/sign-in?again=1&return_to=${consent}`)
    assert.ok(signIn.body.includes(shown))
    assert.match(signIn.body, /<strong>Dash &#60;b&#62;<\/strong> asks to be connected\. Sign in to decide\./)
    for (const other of ['/consent?request=lbq_unknown', '/consent', '/account', '//evil.example/consent']) {
      const plain = await browser.get(`/sign-in?again=1&return_to=${encodeURIComponent(other)}`)
      assert.doesNotMatch(plain.body, /asks to be connected/)
    }
    const [event] = await service.sql`
      select details from audit_events where type = 'application.changed' order by id desc limit 1`
    assert.deepEqual(event!.details.fields.toSorted(), ['logo', 'name'])
  })
})
