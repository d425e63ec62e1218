import { withoutGuard } from '../components/table/csv.ts'

/** `AA-BB-CC-DD-EE-FF`, `aabb.ccdd.eeff`, `AABBCCDDEEFF`, with spaces or a `MAC:` in front: all mean `aa:bb:cc:dd:ee:ff`. */
export function parseMac(text: string): string | null {
  const digits = text
    .trim()
    .replace(/^mac\s*(address)?\s*[:=]?\s*/i, '')
    .replace(/[\s:.\-–_]/g, '')
  return /^[0-9a-f]{12}$/i.test(digits) ? digits.toLowerCase().replace(/(..)(?=.)/g, '$1:') : null
}

/** Spreadsheets write UTF-8, UTF-16 or, in Western Europe, Windows-1252. */
export function decodeList(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes.slice(0, 2))
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The columns of a list, and the words by which a header may name them. */
const columns = {
  mac: ['mac', 'macaddress'],
  sn: ['sn', 'serial', 'serialnumber', 'serialno', 'serialnr'],
  model: ['model', 'modelid', 'modelname', 'devicemodel'],
  space: ['space', 'spaceid', 'spacepath', 'spacename', 'location'],
  name: ['name', 'devicename', 'label'],
}

type Column = keyof typeof columns

/** Each column as it was written; empty where the line has none. */
export interface ClaimLine extends Record<Column, string> {
  /** In the file, from 1. */
  line: number
}

/** Without a header. */
const usualOrder: Column[] = ['mac', 'sn', 'model', 'name', 'space']

/** A pasted list or a CSV file: separated by semicolon, tab or comma; a header may name the columns in any order. */
export function parseClaimLines(text: string): ClaimLine[] {
  const [first, ...rest] = recordsOf(text.replace(/^\ufeff/, ''))
  if (!first) return []
  const header = headerOf(first.cells)
  const records = header
    ? rest.map((record) => ({ ...record, cells: record.cellsBy(first.separator) }))
    : [first, ...rest]
  const order = header ?? usualOrder
  return records.map(({ line, cells }) => {
    const cell = (column: Column) => cells[order.indexOf(column)] ?? ''
    return { line, mac: cell('mac'), sn: cell('sn'), model: cell('model'), space: cell('space'), name: cell('name') }
  })
}

function headerOf(cells: string[]): (Column | undefined)[] | null {
  const words = cells.map((cell) => cell.toLowerCase().replace(/[^a-z]/g, ''))
  const names = Object.keys(columns) as Column[]
  const header = words.map((word) => names.find((name) => columns[name].includes(word)))
  return header.includes('mac') && header.includes('sn') ? header : null
}

export interface ListRecord {
  line: number
  cells: string[]
  separator: string | undefined
  cellsBy: (separator: string | undefined) => string[]
}

const separators = [';', '\t', ',']

/** Without empty lines. A quoted cell may contain separators and line breaks. */
export function recordsOf(text: string): ListRecord[] {
  const records: ListRecord[] = []
  let line = 1
  for (let start = 0; start < text.length; ) {
    const { end, separators: used } = readCells(text, start, separators)
    const record = text.slice(start, end)
    const separator = separators.find((candidate) => used.has(candidate))
    const cellsBy = (by: string | undefined) =>
      // Without a separator, a line is a MAC without spaces and a serial number.
      by === undefined ? record.trim().split(/\s+/) : readCells(record, 0, [by]).cells
    if (record.trim() !== '') records.push({ line, cells: cellsBy(separator), separator, cellsBy })
    line += record.split('\n').length
    start = end + 1
  }
  return records
}

const quotedCell = /[ ]*"((?:[^"]|"")*)"[ \r]*(?=[;,\t\n]|$)/y

/** The cells of one record, and where it ends. A quote that is never closed, or stands within a cell, is a character. */
function readCells(text: string, start: number, by: string[]) {
  const cells: string[] = []
  const used = new Set<string>()
  for (let at = start; ; at += 1) {
    quotedCell.lastIndex = at
    const quoted = quotedCell.exec(text)
    let end = quoted ? quotedCell.lastIndex : at
    while (end < text.length && text[end] !== '\n' && !by.includes(text[end]!)) end += 1
    cells.push(withoutGuard((quoted ? quoted[1]!.replaceAll('""', '"') : text.slice(at, end)).trim()))
    if (end === text.length || text[end] === '\n') return { cells, end, separators: used }
    used.add(text[end]!)
    at = end
  }
}
