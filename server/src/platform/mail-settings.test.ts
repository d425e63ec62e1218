import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../config.ts'

const from = 'Landbridge <no-reply@example.com>'

function read(url: string | undefined, sender: string | undefined = from) {
  const { config, faults } = readConfig({ LANDBRIDGE_MAIL_URL: url, LANDBRIDGE_MAIL_FROM: sender })
  return { mail: config.mail, faults }
}

describe('settings of mail', () => {
  it('reads user and password, percent-encoded', () => {
    const { mail, faults } = read('smtps://ada%40example.com:p%3A%2F%C3%BC@Mail.example.com')
    assert.deepEqual(faults, [])
    assert.deepEqual(mail, {
      host: 'mail.example.com',
      port: 465,
      implicitTls: true,
      thisMachine: false,
      credentials: { user: 'ada@example.com', password: 'p:/ü' },
      from: { name: 'Landbridge', address: 'no-reply@example.com' },
    })
  })

  it('knows this machine by its addresses, and no other', () => {
    const here = ['smtp://localhost', 'smtp://127.0.0.1:25', 'smtp://127.1', 'smtp://[::1]:2525', 'smtp://2130706433']
    for (const url of here) assert.equal(read(url).mail?.thisMachine, true, url)
    const others = ['smtp://localhost.example.com', 'smtp://10.0.0.1', 'smtp://127.0.0.1.example.com', 'smtp://[::2]']
    for (const url of others) assert.equal(read(url).mail?.thisMachine, false, url)
    assert.equal(read('smtp://[::1]:2525').mail?.host, '::1')
    assert.equal(read('smtp://mail.example.com').mail?.port, 587)
  })

  it('both or none', () => {
    assert.deepEqual(read(undefined, '').mail, null)
    assert.deepEqual(read(undefined, '').faults, [])
    const [missing] = read('smtp://localhost', '').faults
    assert.match(`${missing?.variable} ${missing?.message}`, /^LANDBRIDGE_MAIL_FROM is required with/)
    const [other] = read(undefined).faults
    assert.match(`${other?.variable} ${other?.message}`, /^LANDBRIDGE_MAIL_URL is required with/)
  })

  it('a fault never repeats the password', () => {
    const password = 'hunter2secret'
    const wrong = [
      `http://u:${password}@mail.example.com`,
      `smtp://u:${password}@`,
      `smtp://u:${password}@mail.example.com/path`,
      `smtp://u:${password}@mail.example.com?tls.rejectUnauthorized=false`,
      `smtp://u:${password}@mail.example.com#x`,
      `smtp://:${password}@mail.example.com`,
      `smtp://u:${password}%0D%0A@mail.example.com`,
      `smtp://u:${password}%zz@mail.example.com`,
      `smtp://u:${password}@mail.example.com:99999`,
      `smtp://u:${password}@mail.example.com:0`,
      `u:${password}@mail.example.com`,
    ]
    for (const url of wrong) {
      const { faults, mail } = read(url)
      assert.deepEqual(
        faults.map(({ variable }) => variable),
        ['LANDBRIDGE_MAIL_URL'],
        url,
      )
      assert.ok(!JSON.stringify(faults).includes(password), url)
      assert.equal(mail, null)
    }
  })
})
