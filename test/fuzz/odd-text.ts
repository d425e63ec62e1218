import type { Random } from '../histories/record/random.ts'

const texts = [
  ...['', ' ', '\0', '%', '%ff', '%00', '%u0041', '<script>x</script>', '"><i>', '\r\nx: y', "' or 1=1; --", '../../x'],
  ...['💥'.repeat(600), 'a'.repeat(5_000), 'null', 'undefined', '__proto__', 'constructor', '[]', '{}', '-1', '1e400'],
  ...[
    '9'.repeat(400),
    '\ud800',
    '\ufeffa',
    'a\u2028b',
    'שלום',
    'İ',
    'e\u0301',
    '\u202e',
    '😀',
    '\ufffe',
    'a\tb',
    '=1+1',
  ],
]
const letters = 'aZ09 _-.~/%&=+;:,"\'<>[]{}()\\|@!?*#$^`\t\n\r\0\u007f\u0080\u00e4\u20ac\u{1f600}'

/** What tends to break things, or a few letters of all kinds. */
export function oddText(random: Random): string {
  if (random.chance(0.6)) return random.pick(texts)
  const all = [...letters]
  return Array.from({ length: random.integer(1, 30) }, () => random.pick(all)).join('')
}
