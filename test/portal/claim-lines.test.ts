import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toCsv } from '../../portal/src/components/table/csv.ts'
import { type CheckedLine, checkLines } from '../../portal/src/customer/claim-check.ts'
import { decodeList, parseClaimLines, parseMac } from '../../portal/src/customer/claim-lines.ts'

const mac = '00:1b:44:11:3a:b7'

describe('a list of devices is read as spreadsheets and people write it', () => {
  const read = (text: string) =>
    parseClaimLines(text).map(({ line, mac, sn, model, space, name }) => [line, mac, sn, model, space, name].join('|'))
  const cases: [title: string, text: string, lines: string[]][] = [
    ['no header', `${mac},S1,Meter,Hall,A / B`, [`1|${mac}|S1|Meter|A / B|Hall`]],
    ['columns in any order', `Name;Serial No.;Space;MAC address\nHall;S1;A;${mac}`, [`2|${mac}|S1||A|Hall`]],
    [
      'a byte order mark and CRLF',
      `\ufeffmac,sn\r\n${mac},S1\r\n\r\n${mac},S2\r\n`,
      [`2|${mac}|S1|||`, `4|${mac}|S2|||`],
    ],
    [
      'a separator per line without a header',
      `${mac};S1\n${mac}\tS2\n${mac} S3`,
      [`1|${mac}|S1|||`, `2|${mac}|S2|||`, `3|${mac}|S3|||`],
    ],
    ['the separator of the header counts', `mac,sn,name\n${mac},S1,a;b`, [`2|${mac}|S1|||a;b`]],
    [
      'quoted cells with separators, quotes and line breaks',
      `mac,sn,name,space\n${mac}, "S,1" ,"a ""b""\nc",A\n${mac},S2,,`,
      [`2|${mac}|S,1||A|a "b"\nc`, `4|${mac}|S2|||`],
    ],
    [
      'a quote that is no quotation',
      `mac,sn,name\n${mac},S1,5" panel\n${mac},S2,"open\n${mac},S3,x`,
      [`2|${mac}|S1|||5" panel`, `3|${mac}|S2|||"open`, `4|${mac}|S3|||x`],
    ],
    ['unknown columns', `reason,mac,sn\nwrong,${mac},S1`, [`2|${mac}|S1|||`]],
    ['nothing', ' \n\n', []],
  ]
  for (const [title, text, lines] of cases) it(title, () => assert.deepEqual(read(text), lines))

  it('what is written as CSV is read back as it was', () => {
    const rows = [[mac, 'S;1', 'a "b"', 'A / B', ' two\nlines ']]
    const [line] = parseClaimLines(toCsv(['mac', 'sn', 'model', 'space', 'name'], rows))
    assert.deepEqual(line, { line: 2, mac, sn: 'S;1', model: 'a "b"', space: 'A / B', name: 'two\nlines' })
  })

  it('encodings of spreadsheets', () => {
    const bytes = (text: string, encoding: 'utf8' | 'utf16le' | 'latin1') =>
      new Uint8Array(Buffer.from(text, encoding)).buffer
    assert.equal(decodeList(bytes('\ufeffGröße', 'utf8')), 'Größe')
    assert.equal(decodeList(bytes('\ufeffGröße', 'utf16le')), 'Größe')
    assert.equal(decodeList(bytes('Größe', 'latin1')), 'Größe')
  })

  it('any form of a MAC', () => {
    for (const text of ['00-1B-44-11-3A-B7', '001b.4411.3ab7', 'MAC: 001B44113AB7', ' 00 1b 44 11 3a b7 ']) {
      assert.equal(parseMac(text), mac)
    }
    for (const text of ['', '00:1b', 'zz1b44113ab7', '001b44113ab70']) assert.equal(parseMac(text), null)
  })

  it('a hundred thousand lines, or one that never ends, take no time', () => {
    const began = process.cpuUsage()
    assert.equal(parseClaimLines(`${mac},"S1\n`.repeat(100_000)).length, 100_000)
    assert.equal(parseClaimLines(`mac,sn\n${mac},${'"'.repeat(300_001)}`).length, 1)
    const { user, system } = process.cpuUsage(began)
    assert.ok(user + system < 20_000_000, `${(user + system) / 1000} ms`)
  })
})

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
  ]
  for (const [written, expected] of cases) {
    it(`${JSON.stringify(written)} → ${expected ?? 'ready'}`, () => {
      const [line] = check([written])
      assert.equal(line!.problem ?? line!.claim?.space_id, expected)
    })
  }

  it('what is chosen for all counts for lines that name nothing; a device that comes twice is pointed out', () => {
    const chosen = { modelId: 'm1', spaceId: 'a2' }
    const lines = check([{ model: '' }, { model: 'Meter', space: 'Building B', sn: 'S2', name: 'Hall' }, {}], chosen)
    assert.deepEqual(lines[0]!.claim, { mac, sn: 'S1', model_id: 'm1', space_id: 'a2' })
    assert.deepEqual(lines[1]!.claim, { mac, sn: 'S2', model_id: 'm1', space_id: 'b', name: 'Hall' })
    assert.equal(lines[2]!.problem, 'Same device as line 1')
  })
})
