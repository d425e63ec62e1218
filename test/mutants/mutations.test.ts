import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeOf, mutantsOf, mutated } from './mutations.ts'

describe('small changes of a source file', () => {
  for (const [source, expected] of [
    ['const a = b < c', ['< → <=']],
    ['const a = b /* < */ === c', ['=== → !==']],
    ['const a = (b && c) || d', ['&& → ||', '|| → &&']],
    ['const a = b ?? c', ['?? c → nothing']],
    ['const a = !b', ['! → nothing']],
    ['const a = 8 * 3_600', ['8 → 9', '* → /', '3_600 → 3601']],
    ['const a = true', ['true → false']],
    ["const a = ['b', '']", ["'b' → ''", "'' → 'mutant'"]],
    [`const a = \`b\${c}\``, [`\`b\${c}\` → \`\``]],
    ['const a = /^b{2,3}$/i', ['/^b{2,3}$/i → /b{2,3}$/i', '/^b{2,3}$/i → /^b{2,3}/i', '/^b{2,3}$/i → /^b{2,4}$/i']],
    ['a(b)', ['a(b) → {}']],
    ['if (a) b += 1', ['a → true', 'a → false', 'b += 1 → {}', '+= → -=', '1 → 2']],
    ['const a = b ? c : d', ['b → true', 'b → false']],
    ['const a = b.some(c).filter(d)', ['some → every', '.filter(d) → nothing']],
    ['const a = Math.min(b, c)', ['min → max']],
    ['for (const a of b) if (c) continue', ['c → true', 'c → false', 'continue → {}']],
    ["type A = 'b' | 1; interface C { d: 'e' }", []],
    ["const a = b as 'c'", []],
    ["import { a } from 'b'; export { c } from 'd'", []],
    ["const a = { b: c, 'd': e, description: 'For people.' }", []],
  ] as const) {
    it(source, () => {
      assert.deepEqual(
        mutantsOf(source).map((mutant) => changeOf(source, mutant)),
        expected,
      )
    })
  }

  it('each changes one place', () => {
    const source = 'const a = b < 1'
    assert.deepEqual(
      mutantsOf(source).map((mutant) => mutated(source, mutant)),
      ['const a = b <= 1', 'const a = b < 2'],
    )
  })
})
