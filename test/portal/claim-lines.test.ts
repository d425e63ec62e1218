import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toCsv } from '../../portal/src/components/table/csv.ts'
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
    ...['mac', 'Mac-Address'].flatMap((m) =>
      ['SN', 'serial', 'Serial number', 'serial_no', 'Serial Nr.'].map((s): [string, string, string[]] => [
        `a header with ${m} and ${s}`,
        `${s},${m}\nS1,${mac}`,
        [`2|${mac}|S1|||`],
      ]),
    ),
    ...['model', 'Model ID', 'model name', 'device_model'].map((m): [string, string, string[]] => [
      `a header with ${m}`,
      `mac,sn,${m}\n${mac},S1,M`,
      [`2|${mac}|S1|M||`],
    ]),
    ...['space', 'space ID', 'space_path', 'Space name', 'Location'].map((s): [string, string, string[]] => [
      `a header with ${s}`,
      `mac,sn,${s}\n${mac},S1,A`,
      [`2|${mac}|S1||A|`],
    ]),
    ...['name', 'device name', 'Label'].map((n): [string, string, string[]] => [
      `a header with ${n}`,
      `mac,sn,${n}\n${mac},S1,N`,
      [`2|${mac}|S1|||N`],
    ]),
    ['no header without a serial number', `mac,name\n${mac},S1`, ['1|mac|name|||', `2|${mac}|S1|||`]],
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
    assert.equal(decodeList(bytes('ÿ, no mark', 'latin1')), 'ÿ, no mark')
  })

  it('any form of a MAC', () => {
    for (const text of ['00-1B-44-11-3A-B7', '001b.4411.3ab7', 'MAC: 001B44113AB7', ' 00 1b 44 11 3a b7 ']) {
      assert.equal(parseMac(text), mac)
    }
    for (const text of ['mac address = 001b44113ab7', '00_1b_44–11-3a:b7', 'mac 001b44113ab7'])
      assert.equal(parseMac(text), mac)
    for (const text of [
      '001b44 mac 113ab7',
      '',
      '00:1b',
      'zz1b44113ab7',
      '001b44113ab70',
      'x 001b44113ab7',
      '001b44113ab7z',
    ])
      assert.equal(parseMac(text), null)
  })
})
