import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accentStylesheet, contrast } from './accent.ts'
import { contentSecurityPolicy, pageHeaders } from './headers.ts'
import { html } from './html.ts'
import { renderPage } from './page.ts'

describe('pages', () => {
  const evil = `"><script>alert('1')</script>\`&`

  it('values in a template are escaped, in text and in attributes; markup of a template is not', () => {
    const inner = html`<b title="${evil}">${evil}</b>`
    const { markup } = html`<p>${[inner, null, false, undefined, 0]}</p>`
    assert.ok(!markup.includes('<script'))
    assert.ok(!/[`'"]>?</.test(markup.replace('<p><b title="', '').replace('">', '')))
    assert.ok(markup.startsWith('<p><b title="&#34;&#62;&#60;script'))
    assert.ok(markup.endsWith('</b>0</p>'))
  })

  it('title and brand are escaped too', () => {
    assert.ok(!renderPage({ title: evil, body: evil, brand: { name: evil, logo: evil } }).includes('<script'))
  })

  it("'unsafe-inline' is nowhere, framing is refused, and a form goes to this very host unless a page leaves that out", () => {
    const policy = contentSecurityPolicy()
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /form-action 'self'(;|$)/)
    assert.doesNotMatch(policy, /unsafe-inline/)
    assert.doesNotMatch(contentSecurityPolicy({ 'form-action': null }), /form-action|null/)
  })

  it('decision 10.3: no page is separated from the window that opened it, unless it asks for that', () => {
    assert.ok(!('cross-origin-opener-policy' in pageHeaders()))
  })

  it('text is legible on every accent colour, and in it', () => {
    const rgb = (hex: string) =>
      [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as readonly [number, number, number]
    for (const color of ['#ffff00', '#000000', '#ffffff', '#0b6b57', '#ff0000', '#777777']) {
      const pairs = [...accentStylesheet(color).matchAll(/--accent:(#\w+);--on-accent:(#\w+)/g)]
      assert.equal(pairs.length, 3, 'light, dark by device, dark by choice')
      for (const [index, [, accent, onAccent]] of pairs.entries()) {
        assert.ok(contrast(rgb(accent!), rgb(onAccent!)) >= 4.5, `${color}: text on the accent`)
        assert.ok(contrast(rgb(accent!), rgb(index === 0 ? '#ffffff' : '#1b1f22')) >= 4.5, `${color}: text in it`)
      }
    }
    assert.equal(accentStylesheet('red;}body{display:none'), '')
  })
})
