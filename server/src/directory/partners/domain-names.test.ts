import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { challengeLabel, readDomain } from './domain-names.ts'

const label = 'a'.repeat(63)
/** Of 231 characters, with the label of the record 253. */
const longest = `${label}.${label}.${label}.${'b'.repeat(35)}.com`

describe('a domain that its owner can prove', () => {
  it('has its record where the guide says', () => assert.equal(challengeLabel, '_landbridge-challenge'))

  for (const [sent, domain] of [
    ['acme.com', 'acme.com'],
    [' ACME.com. ', 'acme.com'],
    ['a.b-c.co.uk', 'a.b-c.co.uk'],
    ['bücher.de', 'xn--bcher-kva.de'],
    ['例え.みんな', 'xn--r8jz45g.xn--q9jyb4c'],
    ['acme.github.io', 'acme.github.io'],
    ['1.de', '1.de'],
    ['co.com', 'co.com'],
    ['acme.uk', 'acme.uk'],
    ['co.uk.com', 'co.uk.com'],
    ['disco.uk', 'disco.uk'],
    [longest, longest],
  ] as const) {
    it(`${sent.slice(0, 40)} is ${domain.slice(0, 40)}`, () => assert.deepEqual(readDomain(sent), { domain }))
  }

  const alone = 'must be a domain alone, such as acme.com'
  const publicly = 'must be a domain of the public internet, such as acme.com'
  const parts = 'must have parts of 1 to 63 letters, digits and hyphens'
  for (const [sent, problem] of [
    ['', alone],
    ['https://acme.com', alone],
    ['acme.com/', alone],
    ['_x.acme.com', alone],
    ['a'.repeat(254), alone],
    ['192.0.2.1', 'must be a domain, such as acme.com'],
    ['xn--iñvalid.com', 'must be a domain, such as acme.com'],
    [`b${longest}`, 'must have 231 characters or fewer in ASCII'],
    [`a${label}.com`, parts],
    ['-a.com', parts],
    ['a-.com', parts],
    ['a..com', parts],
    ['com', publicly],
    ['acme.c', publicly],
    ['acme.c0m', publicly],
    ['acme.com1', publicly],
    ['acme.1com', publicly],
    ...[
      'localhost',
      'local',
      'internal',
      'test',
      'example',
      'invalid',
      'onion',
      'alt',
      'arpa',
      'lan',
      'home',
      'corp',
    ].map((last) => [`acme.${last}`, publicly]),
    ...['ac.uk', 'co.uk', 'com.br', 'edu.au', 'gov.uk', 'mil.br', 'net.au', 'org.uk'].map((domain) => [
      domain,
      `must be a domain of your own below ${domain}`,
    ]),
    ...[
      'github.io',
      'gitlab.io',
      'pages.dev',
      'workers.dev',
      'web.app',
      'firebaseapp.com',
      'herokuapp.com',
      'eu.org',
    ].map((domain) => [domain, `must be a domain of your own below ${domain}`]),
    ...[
      'netlify.app',
      'vercel.app',
      'azurewebsites.net',
      'cloudfront.net',
      'amazonaws.com',
      'duckdns.org',
      'mooo.com',
    ].map((domain) => [domain, `must be a domain of your own below ${domain}`]),
    ...[
      'dyndns.org',
      'ddns.net',
      'no-ip.org',
      'myshopify.com',
      'blogspot.com',
      'uk.com',
      'us.com',
      'eu.com',
      'de.com',
    ].map((domain) => [domain, `must be a domain of your own below ${domain}`]),
  ] as [string, string][]) {
    it(`${sent.slice(0, 40)} ${problem}`, () => assert.deepEqual(readDomain(sent), { problem }))
  }
})
