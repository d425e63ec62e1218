import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accentStylesheet, contrast } from './accent.ts'

const white = [255, 255, 255] as const

describe('an accent colour', () => {
  it('contrast is that of WCAG 2.2', () => {
    for (const [color, expected] of [
      [[0, 0, 0], 21],
      [[255, 255, 255], 1],
      [[255, 0, 0], 4],
      [[0, 128, 0], 5.14],
      [[0, 0, 255], 8.59],
      [[118, 118, 118], 4.54],
      [[119, 119, 119], 4.48],
    ] as const) {
      assert.equal(Math.round(contrast(color, white) * 100) / 100, expected)
      assert.equal(contrast(white, color), contrast(color, white))
    }
    assert.equal(Math.round(contrast([10, 10, 10], [0, 0, 0]) * 1000) / 1000, 1.061)
  })

  const sheet = (light: string, dark: string) =>
    `:root{${light}}\n@media (prefers-color-scheme: dark){:root:not([data-scheme=light]){${dark}}}\n:root[data-scheme=dark]{${dark}}\n`
  for (const [color, light, dark] of [
    ['#0b6b57', '--accent:#0b6b57;--on-accent:#ffffff', '--accent:#549789;--on-accent:#000000'],
    ['#FFFF00', '--accent:#737300;--on-accent:#ffffff', '--accent:#ffff00;--on-accent:#000000'],
    ['#000000', '--accent:#000000;--on-accent:#ffffff', '--accent:#8c8c8c;--on-accent:#000000'],
    ['#777777', '--accent:#717171;--on-accent:#ffffff', '--accent:#8b8b8b;--on-accent:#000000'],
  ] as const) {
    it(`${color} becomes darker on white and lighter on black, as little as is legible`, () => {
      assert.equal(accentStylesheet(color), sheet(light, dark))
    })
  }

  it('what is no colour is left out', () => {
    for (const text of ['', 'red', '#fff', '#0b6b5', '#0b6b577', 'x#0b6b57', '#0b6b5g'])
      assert.equal(accentStylesheet(text), '')
  })
})
