import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { requireHomePage } from './home-page.ts'

describe('the home page of an application is a link on our pages', () => {
  for (const address of [
    null,
    undefined,
    'https://app.example',
    'HTTPS://app.example/a?b#c',
    `https://app.example/${'a'.repeat(480)}`,
  ]) {
    it(`${String(address).slice(0, 40)} is one`, () => requireHomePage(address))
  }

  for (const [address, message] of [
    ['', /^home_page must be 1 to 500 printable/],
    ['https://app.example/a b', /^home_page must be 1 to 500 printable/],
    [`https://app.example/${'a'.repeat(481)}`, /^home_page must be 1 to 500 printable/],
    ['http://app.example', /^home_page must be an https address/],
    ['javascript://https://app.example', /^home_page must be an https address/],
    ['https://#', /^home_page must be an https address/],
    ['https://app.example:99999', /^home_page must be an https address/],
    ['https://app.example\\@evil.example', /^home_page must be an https address/],
    ['https://user@app.example', /^home_page must not contain credentials/],
    ['https://:password@app.example', /^home_page must not contain credentials/],
  ] as const) {
    it(`${address.slice(0, 40)} is none`, () => {
      assert.throws(() => requireHomePage(address), { status: 422, message })
    })
  }
})
