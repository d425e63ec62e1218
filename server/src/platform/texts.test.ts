import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printable, readText } from './texts.ts'

const line = (text: string, max = 200) => readText('line', text, max)

const kept = [
  ['Latin', 'Acme Audio GmbH & Co. KG'],
  ['punctuation only', '–'],
  ['Arabic', 'شركة الصوت'],
  ['Persian with a non-joiner', 'می\u200cخواهم'],
  ['Sinhala with a joiner', 'ශ්\u200dරී ලංකා'],
  ['Hindi with a joiner', 'क्\u200dष'],
  ['Japanese, a variant of a letter', '葛\u{e0100}飾区'],
  ['a family', '👨\u200d👩\u200d👧'],
  ['a heart, as a picture', '❤\ufe0f'],
  ['a person with a colour of skin', '👩🏽\u200d🚒'],
  ['a rainbow flag', '🏳\ufe0f\u200d🌈'],
  ['the flag of England', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
  ['a keycap', '1\ufe0f\u20e3'],
  ['Vietnamese', 'Nguyễn'],
  ['a hard space within', '5\u00a0°C'],
] as const

for (const [what, text] of kept) {
  test(`decision 6.40: a name is kept as it is: ${what}`, () => {
    assert.deepEqual(line(text), { text })
  })
}

const refused = [
  ['ESC', 'Ada\u001b[31m', 'control characters or line breaks (U+001B)'],
  ['a line break', 'Ada\nLovelace', 'control characters or line breaks (U+000A)'],
  ['a line break at the end', 'Ada\r\n', 'control characters or line breaks (U+000D)'],
  ['NUL', 'Ada\0', 'control characters or line breaks (U+0000)'],
  ['NEL', 'Ada\u0085', 'control characters or line breaks (U+0085)'],
  ['a line separator', 'Ada\u2028', 'control characters or line breaks (U+2028)'],
  ['a paragraph separator', 'Ada\u2029', 'control characters or line breaks (U+2029)'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e'].map(direction),
  ...['\u2066', '\u2067', '\u2068', '\u2069'].map(direction),
  ...['\u00ad', '\u034f', '\u115f', '\u1160', '\u17b4', '\u180e', '\u200b', '\u200c', '\u200d', '\u2060'].map(hidden),
  ...['\u2064', '\u206a', '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\ufffb', '\u{e0041}', '\u{e0100}'].map(hidden),
  ['a private character', 'Ada\ue000', 'characters without a meaning (U+E000)'],
  ['a noncharacter', 'Ada\uffff', 'characters without a meaning (U+FFFF)'],
  ['a pile of marks', `a${'\u0316'.repeat(9)}`, 'more than eight marks on one letter (U+0316)'],
] as const

function direction(character: string) {
  return [`U+${character.codePointAt(0)!.toString(16)}`, `Ac${character}me`, 'the direction of text'] as const
}
function hidden(character: string) {
  return [`U+${character.codePointAt(0)!.toString(16)}`, `Ac${character}me`, 'invisible characters'] as const
}

for (const [what, text, problem] of refused) {
  test(`decision 6.40: a name is refused: ${what}`, () => {
    const read = line(text)
    assert.ok('problem' in read && read.problem.startsWith('must not contain ') && read.problem.includes(problem))
  })
}

for (const blank of ['', ' ', '\u00a0\u3000', '\u2800', '\u2800 \u{1d159}', '\u0301']) {
  test(`decision 6.40: a name needs a visible character: ${JSON.stringify(blank)}`, () => {
    assert.deepEqual(line(blank), { problem: 'must contain a visible character' })
  })
}

test('decision 6.40: a name is normalised, trimmed, and its characters are counted afterwards', () => {
  assert.deepEqual(line(' \u00a0Zoe\u0308\u3000'), { text: 'Zoë' })
  assert.deepEqual(line('½ ﬁ ①'), { text: '½ ﬁ ①' })
  assert.deepEqual(line('🙂🙂🙂', 3), { text: '🙂🙂🙂' })
  assert.deepEqual(line('  abc ', 3), { text: 'abc' })
  assert.deepEqual(line('abcd', 3), { problem: 'must have 3 characters or fewer' })
  assert.deepEqual(line('Ada\ud800'), { problem: 'must be text without lone surrogates' })
  // One character that NFC writes as three.
  assert.deepEqual(line('\ufb2c', 2), { problem: 'must have 2 characters or fewer' })
})

test('decision 6.40: a text of several lines keeps line breaks and tabs, and nothing else that is hidden', () => {
  assert.deepEqual(readText('lines', 'a\r\nb\rc\td\n', 100), { text: 'a\nb\nc\td' })
  assert.deepEqual(readText('lines', 'a\u001b', 100), { problem: 'must not contain control characters (U+001B)' })
  assert.deepEqual(readText('lines', ' \n', 100), { text: '' })
  const reversed = readText('lines', 'a\u202eb', 100)
  assert.ok('problem' in reversed)
})

test('decision 6.40: what was stored before is harmless in a terminal', () => {
  assert.equal(printable('a\u001b[31m\u202eb\u200bc\nd'), 'a?[31m?b?c?d')
  assert.equal(printable('family 👨‍👩‍👧 5️⃣\u200b می‌خواهم'), 'family 👨‍👩‍👧 5️⃣? می‌خواهم')
})
