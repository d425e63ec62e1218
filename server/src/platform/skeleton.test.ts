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
