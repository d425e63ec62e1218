/** `AA-BB-CC-DD-EE-FF`, `aabb.ccdd.eeff`, `AABBCCDDEEFF`, with spaces or a `MAC:` in front: all mean `aa:bb:cc:dd:ee:ff`. */
export function parseMac(text: string): string | null {
  const digits = text
    .trim()
    .replace(/^mac\s*(address)?\s*[:=]?\s*/i, '')
    .replace(/[\s:.\-–_]/g, '')
  return /^[0-9a-f]{12}$/i.test(digits) ? digits.toLowerCase().replace(/(..)(?=.)/g, '$1:') : null
}

export interface ClaimLine {
  line: number
  mac: string | null
  sn: string
  model: string | null
  name: string | null
  text: string
}

/** A pasted list or CSV: lines of `mac, serial[, model][, name]`, separated by comma, semicolon or tab; a header may name the columns. */
export function parseClaimLines(text: string): ClaimLine[] {
  const rows = text
    .split(/\r?\n/)
    .map((line, index) => ({ line: index + 1, text: line.trim() }))
    .filter((row) => row.text !== '')
    .map((row) => ({ ...row, cells: cellsOf(row.text) }))
  const order = headerOf(rows[0]?.cells ?? [])
  const lines = order ? rows.slice(1) : rows
  const at = order ?? { mac: 0, sn: 1, model: 2, name: 3 }
  return lines.map(({ line, text, cells }) => ({
    line,
    text,
    mac: parseMac(cells[at.mac] ?? ''),
    sn: cells[at.sn] ?? '',
    model: (at.model === undefined ? '' : cells[at.model]) || null,
    name: (at.name === undefined ? '' : cells[at.name]) || null,
  }))
}

function cellsOf(text: string): string[] {
  const separator = [';', '\t', ','].find((candidate) => text.includes(candidate))
  // Without a separator, a line is a MAC without spaces and a serial number.
  const cells = separator ? splitQuoted(text, separator) : text.split(/\s+/)
  return cells.map((cell) => cell.trim())
}

function splitQuoted(text: string, separator: string): string[] {
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!
    if (character === '"' && quoted && text[at + 1] === '"') {
      cell += '"'
      at += 1
    } else if (character === '"') quoted = !quoted
    else if (character === separator && !quoted) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  return [...cells, cell]
}

function headerOf(cells: string[]): { mac: number; sn: number; model?: number; name?: number } | null {
  const find = (...words: string[]) =>
    cells.findIndex((cell) => words.includes(cell.toLowerCase().replace(/[^a-z]/g, '')))
  const mac = find('mac', 'macaddress')
  const sn = find('sn', 'serial', 'serialnumber', 'serialno')
  if (mac === -1 || sn === -1) return null
  const model = find('model', 'modelid', 'devicemodel', 'modelname')
  const name = find('name', 'devicename', 'label')
  return { mac, sn, ...(model === -1 ? {} : { model }), ...(name === -1 ? {} : { name }) }
}
