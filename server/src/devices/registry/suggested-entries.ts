import type { DictionaryEntry, Value } from '../store/dictionaries.ts'
import type { SeenDataPoint } from '../telemetry-store/telemetry-store.ts'

/** A chart with more lines than this is hard to read at first sight. */
const maxCharted = 2

/** Numbers with a unit are measurements; others may be settings or counters. */
export function firstInChart(entries: DictionaryEntry[]): DictionaryEntry[] {
  const numbers = entries.filter(({ type }) => type === 'number')
  const measured = numbers.filter(({ unit }) => unit !== undefined)
  return (measured.length > 0 ? measured : numbers).slice(0, maxCharted)
}

export function suggestEntry(seen: SeenDataPoint): DictionaryEntry {
  const type = typeOf(seen)
  const unit = type === 'number' ? unitOf(seen.key) : undefined
  const label = labelOf(seen.key, unit)
  const common = { key: seen.key, type, ...(label === undefined ? {} : { label }) }
  if (type === 'boolean') return { ...common, ...(alarming.test(seen.key) ? { values: alarmValues } : {}) }
  if (type === 'text') return { ...common, ...textValues(seen) }
  const decimals = decimalsOf(seen)
  const isShare = unit === '%' && seen.min! >= 0 && seen.max! <= 100
  return {
    ...common,
    ...(unit === undefined ? {} : { unit }),
    ...(decimals === undefined ? {} : { decimals }),
    ...(isShare ? { min: 0, max: 100 } : {}),
  }
}

/** What most devices send. */
function typeOf({ numbers, booleans, texts }: SeenDataPoint): DictionaryEntry['type'] {
  if (numbers >= booleans && numbers >= texts) return 'number'
  return booleans >= texts ? 'boolean' : 'text'
}

const alarming = /alarm|fault|failure|error|leak|smoke|tamper|intrusion|overheat/i

const alarmValues: { value: Value; label: string; alarm?: boolean }[] = [
  { value: true, label: 'Alarm', alarm: true },
  { value: false, label: 'OK' },
]

/** A few texts that many devices share are states, such as `heat` and `cool`; others are free text. */
function textValues({ devices, examples }: SeenDataPoint): { values?: { value: Value; alarm?: boolean }[] } {
  const areStates = examples.length > 0 && examples.length <= 8 && examples.length < devices
  if (!areStates) return {}
  return { values: examples.map((value) => ({ value, ...(alarming.test(value) ? { alarm: true } : {}) })) }
}

/** Digits beyond these are noise of floating-point numbers, which two decimals hide. */
const mostMeaningfulDecimals = 4

function decimalsOf({ scale, max, min }: SeenDataPoint): number | undefined {
  if (scale === null) return undefined
  if (scale <= mostMeaningfulDecimals) return scale
  return Math.max(Math.abs(min!), Math.abs(max!)) >= 1 ? 2 : undefined
}

/** Units by the end of a key: `supply_temp_c`. */
const units: Record<string, string> = {
  c: '°C',
  celsius: '°C',
  f: '°F',
  fahrenheit: '°F',
  percent: '%',
  pct: '%',
  w: 'W',
  kw: 'kW',
  mw: 'MW',
  wh: 'Wh',
  kwh: 'kWh',
  mwh: 'MWh',
  va: 'VA',
  kva: 'kVA',
  v: 'V',
  mv: 'mV',
  a: 'A',
  ma: 'mA',
  hz: 'Hz',
  ppm: 'ppm',
  ppb: 'ppb',
  lux: 'lx',
  lx: 'lx',
  db: 'dB',
  dbm: 'dBm',
  pa: 'Pa',
  hpa: 'hPa',
  kpa: 'kPa',
  bar: 'bar',
  mm: 'mm',
  cm: 'cm',
  m: 'm',
  km: 'km',
  l: 'L',
  m3: 'm³',
  m3h: 'm³/h',
  kg: 'kg',
  g: 'g',
  rpm: 'rpm',
  ms: 'ms',
  s: 's',
  sec: 's',
  seconds: 's',
  min: 'min',
  minutes: 'min',
  h: 'h',
  hours: 'h',
  deg: '°',
}

/** Units by the last word of a key, where it has one usual unit. */
const usualUnits: Record<string, string> = {
  temperature: '°C',
  temp: '°C',
  humidity: '%',
  battery: '%',
  power: 'W',
  energy: 'kWh',
  voltage: 'V',
  current: 'A',
  frequency: 'Hz',
  co2: 'ppm',
  illuminance: 'lx',
  rssi: 'dBm',
}

function unitOf(key: string): string | undefined {
  const words = wordsOf(key)
  const last = words.at(-1) ?? ''
  // A key that is only a letter says nothing.
  const bySuffix = words.length > 1 && Object.hasOwn(units, last) ? units[last] : undefined
  return bySuffix ?? (Object.hasOwn(usualUnits, last) ? usualUnits[last] : undefined)
}

const written: Record<string, string> = { co2: 'CO₂', rssi: 'RSSI', voc: 'VOC', tvoc: 'TVOC', id: 'ID', ip: 'IP' }

/** `supply_temp_c` → `Supply temp`; nothing for a key without letters or digits. */
function labelOf(key: string, unit: string | undefined): string | undefined {
  const words = wordsOf(key)
  const named = unit !== undefined && words.length > 1 && units[words.at(-1)!] === unit ? words.slice(0, -1) : words
  const text = named.map((word) => (Object.hasOwn(written, word) ? written[word] : word)).join(' ')
  const label = [...(text.charAt(0).toUpperCase() + text.slice(1))].slice(0, 100).join('')
  return label.trim() || undefined
}

/** `roomTemp_c`, `room-temp.c` and `room temp c` have the same three words. */
function wordsOf(key: string): string[] {
  return key
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}
