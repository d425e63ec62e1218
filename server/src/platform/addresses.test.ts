import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressesOf } from './addresses.ts'

const ports = { http: 1, mqtts: 2, staticCert: 3 }
const unset = { publicUrl: null, entryUrl: null, hubUrl: null, mqttUrl: null, staticCertUrl: null }

describe('the addresses that devices are given', () => {
  it('are on this machine while no public address is set', () => {
    assert.deepEqual(addressesOf(unset, ports), {
      publicUrl: 'http://localhost:1',
      entryUrl: 'http://localhost:1',
      hubUrl: 'http://localhost:1',
      mqttUrl: 'mqtts://localhost:2',
      staticCertUrl: 'https://localhost:3',
    })
  })

  it('are on the public host, with the ports of their own listeners', () => {
    const { mqttUrl, staticCertUrl, hubUrl } = addressesOf({ ...unset, publicUrl: 'https://[2001:db8::1]:8443' }, ports)
    assert.equal(mqttUrl, 'mqtts://[2001:db8::1]:2')
    assert.equal(staticCertUrl, 'https://[2001:db8::1]:3')
    assert.equal(hubUrl, 'https://[2001:db8::1]:8443')
  })

  it('are what is set, where it is set', () => {
    const set = {
      publicUrl: 'https://a.example',
      entryUrl: 'https://b.example',
      hubUrl: 'https://c.example',
      mqttUrl: 'mqtts://d.example',
      staticCertUrl: 'https://e.example',
    }
    assert.deepEqual(addressesOf(set, ports), set)
  })
})
