import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mailAddress, mailbox } from './mail-address.ts'

describe('decision 8.70: addresses that mail is sent to', () => {
  const good = ['ada@example.com', 'ada.lovelace+x@mail.example.co.uk', "o'neil@example.com", 'a@xn--bcher-kva.example']
  for (const address of good) it(`takes ${address}`, () => assert.equal(mailAddress(address), address))

  it('writes the domain in lower case, and leaves the rest', () => {
    assert.equal(mailAddress('Ada@EXAMPLE.com'), 'Ada@example.com')
  })

  const bad = [
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@localhost',
    'ada@example.com\r\nRCPT TO:<eve@evil.example>',
    'ada@example.com\nBcc: eve@evil.example',
    'ada@example.com\0',
    ' ada@example.com',
    'ada@example.com ',
    'Group: a@x.example, b@y.example;',
    'a@x.example, b@y.example',
    'a@x.example;b@y.example',
    'a@x.example b@y.example',
    '"e@attacker.com"@victim.com',
    '"e@attacker.com x"@victim.com',
    'eve@attacker.com@victim.com',
    'Eve <eve@attacker.com>',
    '<eve@attacker.com>',
    'eve(comment)@attacker.com',
    'a@vic\u00adtim.com',
    'a@victim.com\u00ad',
    'a@victim\u3002com',
    'ä@example.com',
    'a@bücher.example',
    'a@ⓔxample.com',
    'a@127.0.0.1',
    'a@0x7f.1',
    'a@[127.0.0.1]',
    'a@example..com',
    'a@.example.com',
    'a@example.com.',
    'a@-example.com',
    'a@example.com:25',
    'a@example.com/x',
    'a@example.com?x',
    'a@example.com#x',
    'a@exa%6Dple.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    'a\\b@example.com',
    'a`b@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'a.'.repeat(130)}com`,
    `${','.repeat(100_000)}@example.com`,
  ]
  for (const address of bad) {
    it(`refuses ${JSON.stringify(address.slice(0, 60))}`, () => assert.equal(mailAddress(address), null))
  }

  it('a sender is an address, or a name and one', () => {
    assert.deepEqual(mailbox('no-reply@example.com'), { name: '', address: 'no-reply@example.com' })
    const named = { name: 'Air & Light', address: 'no-reply@example.com' }
    assert.deepEqual(mailbox('Air & Light <no-reply@Example.com>'), named)
    for (const text of [
      'A <a@x.example> b',
      'A <a@x.example',
      'A a@x.example',
      'A\r\nB <a@x.example>',
      '<>',
      '"A" <a@x>',
    ])
      assert.equal(mailbox(text), null, text)
  })
})
