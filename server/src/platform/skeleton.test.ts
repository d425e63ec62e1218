import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skeletonOf } from './skeleton.ts'

const same = [
  ['Landbridge', 'LANDBRIDGE'],
  ['Landbridge', 'Land-Bridge.'],
  ['Landbridge', 'Lаndbridgе'],
  ['Landbridge', 'Iandbridge'],
  ['Landbridge', 'landbr1dge'],
  ['Landbridge', 'Ｌａｎｄｂｒｉｄｇｅ'],
  ['Landbridge', '𝐋𝐚𝐧𝐝𝐛𝐫𝐢𝐝𝐠𝐞'],
  ['Landbridge', 'Lándbrìdgé'],
  ['Acme Audio', 'Αсме Аudіо'],
  ['Modem', 'Modern'],
  ['Google', 'G00gle'],
  ['京都', '京 都'],
] as const

for (const [one, other] of same) {
  test(`decision 6.41: ${one} and ${other} can be mistaken for each other`, () => {
    assert.equal(skeletonOf(one), skeletonOf(other))
  })
}

for (const [one, other] of [
  ['Acme', 'Acne'],
  ['Partner 2', 'Partner 4'],
  ['京都', '東京'],
  ['🙂', '🙃'],
  ['Bosch', 'Basch'],
] as const) {
  test(`decision 6.41: ${one} and ${other} cannot`, () => assert.notEqual(skeletonOf(one), skeletonOf(other)))
}

/** One letter of another script, or a digit, for each Latin letter that has one. */
const alike = 'aа bв cс dԁ e3 fƒ gɡ hн jј kк l1 mм nո o0 pр qԛ rг s5 tт uυ vѵ wш xх yу zᴢ'

for (const [latin, other] of alike.split(' ').map((pair) => [...pair])) {
  test(`decision 6.41: ${other} looks like ${latin}`, () =>
    assert.equal(skeletonOf(`x${other}x`), skeletonOf(`x${latin}x`)))
}

test('decision 6.41: w and vv look alike, and a name of symbols is itself', () => {
  assert.equal(skeletonOf('Avvay'), skeletonOf('Away'))
  assert.equal(skeletonOf('™!'), skeletonOf('TM'))
  assert.equal(skeletonOf('🙂'), '🙂')
})
