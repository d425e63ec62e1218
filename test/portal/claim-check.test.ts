import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CheckedLine, checkLines } from '../../portal/src/customer/claim-check.ts'

const mac = '00:1b:44:11:3a:b7'

describe('lines are checked before they are sent', () => {
  const model = (id: string, name: string) => ({ id, name, partner_name: 'Acme' })
  const space = (id: string, name: string, parent_id: string | null = null) =>
    ({ id, name, parent_id, synced: false }) as Parameters<typeof checkLines>[1]['spaces'][number]
  const choices = {
    models: [model('m1', 'Meter'), model('m2', 'Sensor'), model('m3', 'sensor')],
    spaces: [
      space('a', 'Building A'),
      space('b', 'Building B'),
      space('a2', 'Floor 2', 'a'),
      space('b2', 'Floor 2', 'b'),
      space('b3', 'Roof / East', 'b'),
    ],
    modelId: null,
    spaceId: null,
    needsSpace: false,
  }
  const check = (written: Partial<CheckedLine>[], more: Partial<typeof choices> | object = {}) => {
    const line = { mac, sn: 'S1', model: 'Meter', space: '', name: '' }
    const lines = written.map((each, index) => ({ ...line, ...each, line: index + 1 }))
    return checkLines(lines as CheckedLine[], { ...choices, ...more })
  }
  const cases: [Partial<CheckedLine>, problemOrSpace: string | undefined][] = [
    [{ mac: '' }, 'MAC address missing'],
    [{ mac: 'x' }, '“x” is not a MAC address'],
    [{ sn: '' }, 'Serial number missing'],
    [{ name: '\ud83d' }, 'Contains a character that cannot be read'],
    [{ model: '' }, 'Model missing'],
    [{ model: 'Valve' }, 'Unknown model “Valve”'],
    [{ model: 'SENSOR' }, '2 models are called “SENSOR”. Use its ID'],
    [{ model: 'm2' }, undefined],
    [{ space: 'Cellar' }, 'Unknown space “Cellar”'],
    [{ space: 'Floor 2' }, '2 spaces are called “Floor 2”. Use its path or ID'],
    [{ space: 'building a/floor 2' }, 'a2'],
    [{ space: 'Building B / Floor 2' }, 'b2'],
    [{ space: 'Building B / Roof / East' }, 'b3'],
    [{ space: 'roof/east' }, 'b3'],
    [{ space: 'b2' }, 'b2'],
    [{ space: ' B2 ' }, 'b2'],
    [{ space: 'building afloor 2' }, 'Unknown space “building afloor 2”'],
    [{ mac: 'y'.repeat(41) }, `“${'y'.repeat(40)}…” is not a MAC address`],
    [{ mac: 'y'.repeat(40) }, `“${'y'.repeat(40)}” is not a MAC address`],
    [{ sn: '\ud83d' }, 'Contains a character that cannot be read'],
    [{ model: 'v'.repeat(50) }, `Unknown model “${'v'.repeat(40)}…”`],
  ]
  for (const [written, expected] of cases) {
    it(`${JSON.stringify(written)} → ${expected ?? 'ready'}`, () => {
      const [line] = check([written])
      assert.equal(line!.problem ?? line!.claim?.space_id, expected)
    })
  }

  it('a space that does not exist can be created, unless it was meant as an ID or has no possible name', () => {
    const missing = (text: string) => {
      const [line] = check([{ space: text }])
      return line!.claim === null ? line!.missingSpace : assert.fail()
    }
    assert.deepEqual(missing('Building A / Cellar'), ['Building A', 'Cellar'])
    assert.equal(missing('01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70'), undefined)
    assert.equal(missing(' 01932D5C-3b6f-7a3e-9f31-2b8c4d5e6f70 '), undefined)
    assert.deepEqual(missing('01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70x'), ['01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70x'])
    assert.deepEqual(missing('x01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70'), ['x01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70'])
    assert.equal(missing('Floor 2'), undefined, 'there are two')
    assert.equal(missing('x'.repeat(201)), undefined)
    assert.equal('missingSpace' in check([{ model: 'Valve', space: 'Cellar' }])[0]!, false)
  })

  it('what is chosen for all counts for lines that name nothing; a device that comes twice is pointed out', () => {
    const chosen = { modelId: 'm1', spaceId: 'a2' }
    const lines = check([{ model: '' }, { model: 'Meter', space: 'Building B', sn: 'S2', name: 'Hall' }, {}], chosen)
    assert.deepEqual(lines[0]!.claim, { mac, sn: 'S1', model_id: 'm1', space_id: 'a2' })
    assert.deepEqual(lines[1]!.claim, { mac, sn: 'S2', model_id: 'm1', space_id: 'b', name: 'Hall' })
    assert.equal(lines[2]!.problem, 'Same device as line 1')
  })

  it('a person who manages the devices of some spaces names one for each line, or chooses one for all', () => {
    const [without, named] = check([{}, { sn: 'S2', space: 'Building B' }], { needsSpace: true })
    assert.match(without!.problem!, /^Space missing/)
    assert.equal(named!.claim?.space_id, 'b')
    assert.equal(check([{}], { needsSpace: true, spaceId: 'a2' })[0]!.claim?.space_id, 'a2')
  })
})
