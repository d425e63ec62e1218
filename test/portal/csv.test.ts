import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvName, csvText as portalText, toCsv, withoutGuard } from '../../portal/src/components/table/csv.ts'
import { csvHeader, csvLine, csvText } from '../../server/src/platform/csv.ts'
import { asAttachment, fileName } from '../../server/src/platform/http/file-name.ts'

const cells: [string, string][] = [
  ['plain', 'plain'],
  ['Zoë, 京都', '"Zoë, 京都"'],
  ['say "hi"', '"say ""hi"""'],
  ['=1+1', "'=1+1"],
  ['@SUM(1)', "'@SUM(1)"],
  ['+cmd', "'+cmd"],
  ['-cmd', "'-cmd"],
  ['＝1+1', "'＝1+1"],
  ['\t=1', '"\'\t\'=1"'],
  ['\r=1', '"\'\r\'=1"'],
  ['-5', "'-5"],
  ['+49.5', "'+49.5"],
  ['-5+1', "'-5+1"],
  ['a-b', 'a-b'],
  ["x;=cmd|' /C calc'!A0;y", `"x;'=cmd|' /C calc'!A0;y"`],
  ['x; =1', `"x; '=1"`],
  ['x;"=1"', `"x;""'=1"""`],
  ['x\t=1', '"x\t\'=1"'],
  ['x|@a', `"x|'@a"`],
  ['x,-1-1', `"x,'-1-1"`],
  ['x\n=1', '"x\n\'=1"'],
  ['x;-5;y', `"x;'-5;y"`],
]

for (const [text, written] of cells) {
  test(`decision 6.44: a cell of CSV, ${JSON.stringify(text)}`, () => {
    assert.equal(csvText(text), written)
    assert.equal(portalText(text), written, 'files made in the browser are the same')
    if (!/^\s/.test(text)) {
      assert.equal(withoutGuard(portalText(text).replaceAll(/^"|"$/g, '').replaceAll('""', '"')), text)
    }
  })
}

test('decision 6.44: whatever divides the line, no part of it begins like a formula', () => {
  const line = csvLine(cells.map(([text]) => csvText(text)))
  for (const separator of [',', ';', '\t', '|', '\n', '\r']) {
    for (const part of line.split(separator)) {
      assert.doesNotMatch(part.replace(/^[\s"]*/, ''), /^[=@＝+-]/, part)
    }
  }
})

test('decision 6.44: spaces within a cell need no quotes, those at its ends do', () => {
  for (const write of [csvText, portalText])
    assert.deepEqual(['a b!', ' a!', 'a! '].map(write), ['a b!', '" a!"', '"a! "'])
})

test('a file made in the browser has a line for each row, and a name without what a system reads', () => {
  assert.equal(
    toCsv(
      ['a', 'b,c'],
      [
        ['1', '=2'],
        ['', ''],
      ],
    ),
    `a,"b,c"\r\n1,'=2\r\n,\r\n`,
  )
  assert.equal(csvName(['Zoë & Söhne', 'a-b', '2026']), 'Zoë-Söhne_a-b_2026.csv')
})

test('decision 6.44: a file begins with the byte order mark', () => {
  assert.equal(csvHeader(['a', '=b']), "\ufeffa,'=b\r\n")
})

test('decision 6.44: a file name has nothing that a header, a system or a shell could read differently', () => {
  const name = fileName(['Zoë & Söhne "AG"/../\r\n', 'devices', '2026-03-01'], 'csv')
  assert.equal(name, 'Zoë-Söhne-AG_devices_2026-03-01.csv')
  assert.equal(
    asAttachment(name),
    `attachment; filename="Zoe-Sohne-AG_devices_2026-03-01.csv"; filename*=UTF-8''Zo%C3%AB-S%C3%B6hne-AG_devices_2026-03-01.csv`,
  )
  assert.equal(fileName(['', 'é'.repeat(61), '!'], 'csv'), `${'é'.repeat(60)}.csv`)
  assert.equal(
    asAttachment(fileName(['京都', 'devices'], 'csv')),
    `attachment; filename="_devices.csv"; filename*=UTF-8''%E4%BA%AC%E9%83%BD_devices.csv`,
  )
})
