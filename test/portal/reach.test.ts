import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { may, type Needed, type Reach, whereTo } from '../../portal/src/api/reach.ts'
import { mayDoBriefly, reasonText, someReasons } from '../../portal/src/customer/access-text.ts'
import * as service from '../../server/src/directory/permissions.ts'

const spaces = ['a', 'b', 'c']
const allowance = fc.record({
  permissions: fc.record(
    Object.fromEntries(
      Object.entries(service.levels).map(([area, steps]) => [area, fc.constantFrom<string>(...steps)]),
    ) as Record<keyof typeof service.levels, fc.Arbitrary<string>>,
  ),
  within: fc.option(fc.uniqueArray(fc.constantFrom(...spaces))),
})

describe('what the portal offers', () => {
  it('is what the service permits', () => {
    fc.assert(
      fc.property(
        fc.array(allowance, { maxLength: 4 }),
        fc.constantFrom(...service.allPermissions),
        fc.option(fc.subarray(spaces), { nil: undefined }),
        (held, needed, above) => {
          const judged = held as unknown as service.Reach
          const read = held.map(({ permissions, within }) => ({
            permissions,
            within: within?.map((id) => ({ id, name: id })) ?? null,
          })) as unknown as Reach
          assert.deepEqual(
            whereTo(read, needed as Needed)?.map(({ id }) => id) ?? null,
            service.whereTo(judged, needed),
          )
          assert.equal(may(read, needed as Needed, above), service.judge(judged, needed, above))
        },
      ),
    )
  })

  it('a deleted space covers nothing', () => {
    const gone: Reach = [{ permissions: service.ofRole.viewer, within: [{ id: 'a', name: null }] }]
    assert.deepEqual([may(gone, 'devices: read'), whereTo(gone, 'devices: read')], [false, []])
  })
})

describe('why somebody may do something', () => {
  it('what they may do, in a narrow column', () => {
    const texts = Object.values(service.ofRole).map((permissions) => mayDoBriefly({ permissions }))
    const operator = 'Devices: command · Spaces: see'
    const manager = 'Devices: command · Spaces: manage · Audit log: see'
    assert.deepEqual(texts, ['Devices: see · Spaces: see', operator, manager])
    assert.equal(mayDoBriefly({ permissions: service.everything }), 'Everything')
    assert.equal(mayDoBriefly({ permissions: service.nothing }), 'Nothing')
  })

  type Held = Parameters<typeof reasonText>[0]
  const place = (...path: string[]) => ({ id: path.join(), path })
  const held = (by: Partial<Held['by']>, within: Held['within'] = null, permissions: object = service.ofRole.viewer) =>
    ({ by: { kind: 'role', role: null, group: null, ...by }, within, permissions }) as Held
  const cases: [Held, string][] = [
    [held({ kind: 'administrator' }), 'Administrator'],
    [held({ role: 'viewer' }), 'Viewer of everything'],
    [
      held({ role: 'manager', group: { id: 'g', name: 'Technicians' } }, [place('Oslo', 'Ground floor')]),
      'Manager of Oslo / Ground floor, by the group Technicians',
    ],
    [held({ kind: 'approval' }, null, service.ofCredential), 'Approved for everything'],
    [held({ kind: 'approval' }, [place('Oslo'), place('Bergen')]), 'Approved for this, in Oslo and Bergen'],
    [
      held({ kind: 'api_key' }, [{ id: 'x', path: null }], service.ofCredential),
      'Given for everything, in a space that was deleted, which covers nothing',
    ],
  ]
  for (const [given, text] of cases) it(text, () => assert.equal(reasonText(given), text))

  it('of many, the first are named', () => {
    const access = (count: number, more: boolean) =>
      ({ held: Array.from({ length: count }, () => held({ role: 'viewer' })), more }) as Parameters<
        typeof someReasons
      >[0]
    assert.deepEqual(someReasons(access(1, false), 1), { reasons: ['Viewer of everything'], more: null })
    assert.deepEqual(someReasons(access(50, false), 1).more, '49 more')
    assert.deepEqual(someReasons(access(100, true), 1).more, 'more than 99 others')
  })
})
