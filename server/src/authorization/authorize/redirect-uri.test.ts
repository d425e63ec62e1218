import assert from 'node:assert/strict'
import { it } from 'node:test'
import { withParameters } from './redirect-uri.ts'

for (const [uri, expected] of [
  ['https://app.example/cb', 'https://app.example/cb?code=c%20d&state=s'],
  ['https://app.example/cb/', 'https://app.example/cb/?code=c%20d&state=s'],
  ['https://app.example', 'https://app.example?code=c%20d&state=s'],
  ['https://APP.example:443/CB', 'https://APP.example:443/CB?code=c%20d&state=s'],
  ['https://app.example/cb?a=b%2Fc+d', 'https://app.example/cb?a=b%2Fc+d&code=c%20d&state=s'],
  ['https://app.example/cb?', 'https://app.example/cb?code=c%20d&state=s'],
  ['https://app.example/cb?a=1&', 'https://app.example/cb?a=1&code=c%20d&state=s'],
  ['https://app.example/%7euser/..%2f/./cb', 'https://app.example/%7euser/..%2f/./cb?code=c%20d&state=s'],
] as const) {
  it(`4.1 parameters are appended as text, the registered bytes stay: ${uri}`, () => {
    assert.equal(withParameters(uri, { code: 'c d', state: 's', error: undefined, iss: null }), expected)
  })
}
