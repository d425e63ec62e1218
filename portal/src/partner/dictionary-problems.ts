import type { DictionaryEntry } from '../api/partner.ts'

interface Detail {
  field: string
  message: string
}

/** `data_points.3.values.0.value must be text` → `door: value 1 must be text`. */
export function problemSentence(entries: readonly Partial<DictionaryEntry>[], { field, message }: Detail): string {
  const [, index, rest = ''] = /^data_points\.(\d+)(?:\.(.+))?$/.exec(field) ?? []
  if (index === undefined) return `${field} ${message}.`
  const key = entries[Number(index)]?.key
  const name = typeof key === 'string' && key !== '' ? key : `Data point ${Number(index) + 1}`
  const part = rest.replace(/^values\.(\d+)\.(\w+)$/, (_, at, what) => {
    const value = `value ${Number(at) + 1}`
    return what === 'value' ? value : `${what} of ${value}`
  })
  return `${name}: ${part ? `${part} ` : ''}${message}.`
}
