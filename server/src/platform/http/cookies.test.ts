import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cookieJar } from './cookies.ts'

const secure = cookieJar('https://id.example')
const plain = cookieJar('http://localhost:8080')

describe('cookies', () => {
  it('over https they are bound to their host, and are sent over https only', () => {
    assert.equal(
      secure.write('session', 'abc', 60),
      '__Host-session=abc; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure',
    )
    assert.equal(plain.write('session', 'abc', 0), 'session=abc; Max-Age=0; Path=/; HttpOnly; SameSite=Lax')
  })

  for (const [title, jar, header, expected] of [
    ['no header', plain, undefined, null],
    ['alone', plain, 'session=abc', 'abc'],
    ['among others', plain, 'a=1;  session=abc ; b=2', 'abc'],
    ['the first of two', plain, 'session=abc; session=def', 'abc'],
    ['without a value', plain, 'session=', null],
    ['only a longer name', plain, 'xsession=abc; sessions=def', null],
    ['over https only with its prefix', secure, 'session=abc; __Host-session=def', 'def'],
    ['over https without its prefix', secure, 'session=abc', null],
  ] as const) {
    it(`read: ${title}`, () => assert.equal(jar.read(header, 'session'), expected))
  }
})
