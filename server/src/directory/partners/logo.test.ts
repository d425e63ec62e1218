import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applicationLogoPath, logoTypes, readLogo, withVersion } from './logo.ts'

const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const jpeg = [0xff, 0xd8, 0xff]
const webp = [...Buffer.from('RIFF1234WEBP')]
const sent = (type: (typeof logoTypes)[number], bytes: number[], length = 20) => {
  const data = Buffer.concat([Buffer.from(bytes)], Math.max(length, bytes.length)).toString('base64')
  return { type, data }
}

describe('a logo is what its type says, by its first bytes', () => {
  it('no other types are accepted', () => assert.deepEqual([...logoTypes], ['image/png', 'image/jpeg', 'image/webp']))

  const pictures = { 'image/png': png, 'image/jpeg': jpeg, 'image/webp': webp } as const
  for (const type of logoTypes) {
    for (const [of, bytes] of Object.entries(pictures)) {
      it(`${of} sent as ${type}`, () => {
        if (of === type) assert.deepEqual([...readLogo(sent(type, bytes)).subarray(0, bytes.length)], bytes)
        else
          assert.throws(() => readLogo(sent(type, bytes)), {
            message: `logo.data must be an image of type ${type} in base64.`,
          })
      })
    }
    it(`${type} with any of its first bytes changed is none`, () => {
      const places = type === 'image/webp' ? [0, 1, 2, 3, 8, 9, 10, 11] : pictures[type].map((_, place) => place)
      for (const place of places) {
        const bytes = pictures[type].with(place, pictures[type][place]! ^ 1)
        assert.throws(() => readLogo(sent(type, bytes)), { status: 422 })
      }
    })
  }

  it('has 128 KiB at most', () => {
    assert.equal(readLogo(sent('image/png', png, 131_072)).length, 131_072)
    assert.throws(() => readLogo(sent('image/png', png, 131_073)), { message: 'logo.data must be 128 KiB or less.' })
  })

  it('has a version that changes with its bytes, and an address with that version', () => {
    const one = withVersion(sent('image/png', png))
    const other = withVersion(sent('image/png', [...png, 1]))
    assert.equal(one.logo_type, 'image/png')
    assert.match(one.logo_version, /^[0-9a-f]{12}$/)
    assert.notEqual(one.logo_version, other.logo_version)
    assert.equal(withVersion(sent('image/png', png)).logo_version, one.logo_version)
    assert.equal(applicationLogoPath('app', '0123456789ab'), '/pages/applications/app/logo?v=0123456789ab')
    assert.equal(applicationLogoPath('app', null), null)
  })
})
