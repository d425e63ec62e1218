// Lists as spreadsheets write them, read as the portal reads them and sent as it sends them; and what is exported again.
import { type Choices, checkLines } from '../../portal/src/customer/claim-check.ts'
import { decodeList, parseClaimLines } from '../../portal/src/customer/claim-lines.ts'
import { checkSpaceLines, parseSpaceLines } from '../../portal/src/customer/space-lines.ts'
import type { Random } from '../histories/record/random.ts'
import { newMac } from '../support/devices.ts'
import type { Source, Try } from './kinds.ts'
import { oddText } from './odd-text.ts'
import type { Reply } from './wire.ts'
import type { World, Worlds } from './worlds.ts'

/** The portal sends no more at a time. */
const linesPerCall = 250

export function csvSource(worlds: Worlds): Source {
  let turn = 0
  return (random) => {
    turn += 1
    const world = worlds.take(turn)
    const what = random.weighted({ claims: 50, spaces: 40, exports: 10 })
    if (what === 'exports') return exportTry(random, world)
    return what === 'claims' ? claimTry(random, world) : spaceTry(random, world)
  }
}

function claimTry(random: Random, world: World): Try {
  const { tenant } = world
  const { model, unclaimed } = tenant
  const macs = [unclaimed.mac, unclaimed.mac.replaceAll(':', '-').toUpperCase(), newMac(), newMac().replaceAll(':', '')]
  const cells = () => [
    random.chance(0.9) ? random.pick(macs) : oddText(random),
    random.chance(0.8) ? random.pick([unclaimed.sn, `SN-${random.hex(4)}`]) : oddText(random),
    random.chance(0.8) ? random.pick(['Sensor', model.id, '']) : oddText(random),
    random.chance(0.5) ? `Device ${random.hex(2)}` : oddText(random),
    random.chance(0.8) ? random.pick(['', `${tenant.marker} hall`, tenant.ids.organization.spaces!]) : oddText(random),
  ]
  const header = random.pick([
    [],
    ['MAC', 'SN', 'Model', 'Name', 'Space'],
    ['Serial no.', 'mac address'],
    ['mac', 'mac', 'sn'],
  ])
  const text = read(random, header, Array.from({ length: lineCount(random) }, cells))
  const choices = {
    models: [{ id: model.id, name: 'Sensor' }],
    spaces: [{ id: tenant.ids.organization.spaces!, name: `${tenant.marker} hall`, parent_id: null }],
    modelId: random.chance(0.8) ? model.id : null,
    spaceId: null,
    needsSpace: false,
  } as unknown as Choices
  const devices = checkLines(parseClaimLines(text), choices).flatMap(({ claim }) => claim ?? [])
  return listTry(world, '/devices/claim-list', { devices: devices.slice(0, linesPerCall) }, devices.length > 0)
}

function spaceTry(random: Random, world: World): Try {
  const name = () => (random.chance(0.7) ? `Room ${random.integer(1, 30)}` : oddText(random))
  const cells = () => [Array.from({ length: random.integer(1, 4) }, name).join(random.pick(['/', ' / ', ' // ']))]
  const header = random.pick([[], ['Path'], ['Building', 'Floor']])
  const text = read(random, header, Array.from({ length: lineCount(random) }, cells))
  const sound = checkSpaceLines(parseSpaceLines(text), []).filter(({ problem }) => problem === null)
  const paths = sound.map(({ path }) => path).slice(0, linesPerCall)
  return listTry(world, '/spaces/import', { paths }, paths.length > 0)
}

/** The portal has found nothing wrong with these lines, so that none is a reason to refuse the call. */
function listTry({ tenant }: World, path: string, body: object, some: boolean): Try {
  const judge = ({ status, body: text }: Reply) =>
    some && ![200, 201, 401, 403, 409, 429].includes(status)
      ? `${status} for what the portal sends: ${text.slice(0, 500)}`
      : null
  return {
    operation: `list to ${path}`,
    shot: {
      method: 'POST',
      url: `/core/v1/organization${path}`,
      headers: [...Object.entries(tenant.credentials.organization.session!), ['content-type', 'application/json']],
      payload: JSON.stringify(body),
    },
    judge,
  }
}

function lineCount(random: Random): number {
  return random.chance(0.02) ? 400 : random.integer(0, 6)
}

/** Written by some spreadsheet, and read again by the portal. */
function read(random: Random, header: string[], lines: string[][]): string {
  const separator = random.pick([',', ';', '\t', '|'])
  const lineEnd = random.pick(['\r\n', '\n', '\r', '\n\n'])
  const quoted = (cell: string) =>
    /[",;\t\r\n]/.test(cell) || random.chance(0.1)
      ? `"${random.chance(0.9) ? cell.replaceAll('"', '""') : cell}"`
      : cell
  const all = header.length > 0 ? [header, ...lines] : lines
  const text = all.map((cells) => cells.map(quoted).join(separator)).join(lineEnd)
  const encoding = random.pick(['utf8', 'utf8', 'utf16le', 'latin1'] as const)
  const mark = encoding === 'utf16le' || random.chance(0.3) ? '\ufeff' : ''
  const bytes = Buffer.from(mark + text, encoding)
  const cut = random.chance(0.1) ? bytes.subarray(0, random.integer(0, bytes.length)) : bytes
  return decodeList(new Uint8Array(cut).buffer)
}

const files = ['/devices.csv', '/audit-events.csv']

function exportTry(random: Random, { tenant }: World): Try {
  const path = random.chance(0.3) ? `/devices/${tenant.device.id}/history.csv` : random.pick(files)
  const query = random.pick(['', '?limit=5', '?search=%22', '?sort=name', '?x=1&x=2'])
  return {
    operation: `export ${path.replace(tenant.device.id, '{id}')}`,
    shot: {
      method: 'GET',
      url: `/core/v1/organization${path}${query}`,
      headers: Object.entries(tenant.credentials.organization.session!),
    },
    judge: ({ status, body }) => (status === 200 ? faultOfCsv(body) : null),
  }
}

/** RFC 4180: every record has as many cells as the header, and no cell of text begins a formula. */
function faultOfCsv(text: string): string | null {
  const [header = [], ...records] = recordsOf(text.replace(/^\ufeff/, ''))
  const odd = records.find((cells) => cells.length !== header.length)
  if (odd)
    return `a record of ${odd.length} cells below a header of ${header.length}: ${JSON.stringify(odd).slice(0, 500)}`
  const formula = records.flat().find((cell) => /^[=+@]|^-(?![\d.])/.test(cell))
  return formula === undefined ? null : `a cell begins a formula: ${JSON.stringify(formula)}`
}

function recordsOf(text: string): string[][] {
  const records: string[][] = []
  let cells: string[] = []
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    cells.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    records.push(cells)
    cells = []
  }
  return records
}
