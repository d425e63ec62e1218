import { locale } from '../../locale.ts'

/** Whole numbers in full, others with six digits behind the point or, where that is less, six in all. */
const plain = new Intl.NumberFormat(locale, {
  maximumFractionDigits: 6,
  maximumSignificantDigits: 6,
  roundingPriority: 'morePrecision',
})
const fixed = Array.from(
  { length: 11 },
  (_, digits) =>
    new Intl.NumberFormat(locale, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      signDisplay: 'negative',
    }),
)

export function formatNumber(value: number, decimals?: number): string {
  const size = Math.abs(value)
  // Beyond these the digits are noise, and nobody counts zeros.
  const far = size > Number.MAX_SAFE_INTEGER || (decimals === undefined && size > 0 && size < 1e-6)
  return far ? powerOfTen(value, 5) : (fixed[decimals ?? -1] ?? plain).format(value)
}

/** `1.8 × 10²¹`, on one line; with all decimals where others stand below it. */
export function powerOfTen(value: number, decimals: number, padded = false): string {
  const [digits = '', exponent = ''] = value.toExponential(decimals).split('e')
  const raised = [...exponent.replace('+', '')].map((sign) => superscripts[sign]).join('')
  return `${padded ? digits : Number(digits)}\u00a0×\u00a010${raised}`
}

const superscripts: Record<string, string> = Object.fromEntries(
  [...'-0123456789'].map((sign, at) => [sign, [...'⁻⁰¹²³⁴⁵⁶⁷⁸⁹'][at]!]),
)

export function withUnit(number: string, unit: string | null | undefined): string {
  if (!unit) return number
  return /^[%°′″]$/.test(unit) ? number + unit : `${number}\u00a0${unit}`
}
