// The ratios of all rows that have a bar, as an SVG: each drawn by how many times it is better than its bar asks for.
import { cells, holds, type Row } from './table.ts'

const width = 960
const margin = 24
const top = 76
const rowHeight = 52
/** Room for the figures at the end of a drawn bar. */
const plotWidth = 640
/** Beyond this many times the bar, how far beyond does not matter. */
const most = 4
const lineAt = margin + plotWidth / most

const style = `
  .ground { fill: #ffffff } .text { fill: #1f2328 } .quiet { fill: #59636e } .track { fill: #eef1f4 }
  .held { fill: #2f6fb3 } .missed { fill: #c4342b } .line { stroke: #1f2328; stroke-width: 2 }
  text { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; font-size: 13px }
  .title { font-size: 18px; font-weight: 600 } .strong { font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .text { fill: #e6edf3 } .quiet { fill: #9198a1 } .track { fill: #1c232b }
    .held { fill: #58a6ff } .missed { fill: #ff7b72 } .line { stroke: #e6edf3 }
  }`

export function toChart(rows: Row[]): string {
  const drawn = rows.filter(({ ratio, bar, disturbed }) => ratio !== null && bar !== null && !disturbed)
  const height = top + drawn.length * rowHeight + margin
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>Ratios against their bars</title>',
    `<style>${style}\n</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    text(margin, 34, 'title text', 'How far each ratio is from its bar'),
    text(margin, 56, 'quiet', 'A bar holds when the colour reaches the line. Twice as far is twice as good.'),
    ...drawn.map((row, index) => drawRow(row, top + index * rowHeight)),
    '</svg>\n',
  ].join('\n')
}

function drawRow(row: Row, y: number): string {
  const [what, ours, peer, ratio, bar] = cells(row) as [string, string, string, string, string]
  const better = row.better === 'lower' ? row.bar! / row.ratio! : row.ratio! / row.bar!
  const length = (Math.min(better, most) / most) * plotWidth
  const [held, sign] = holds(row) ? ['held', '✔'] : ['missed', '✖']
  // The room of one line.
  const rest = Math.max(0, 118 - what.length)
  const label = `<tspan>${sign} ${escaped(shortened(what, 118))}</tspan><tspan class="quiet" dx="8">${escaped(shortened(peer, rest))}</tspan>`
  const figures = `${ratio}${better > most ? ' →' : ''}`
  return [
    `<g><title>${escaped(`${what}: ${ours}, ${peer}`)}</title>`,
    `<text class="text" x="${margin}" y="${y + 12}">${label}</text>`,
    `<rect class="track" x="${margin}" y="${y + 20}" width="${plotWidth}" height="14" rx="2"/>`,
    `<rect class="${held}" x="${margin}" y="${y + 20}" width="${length.toFixed(1)}" height="14" rx="2"/>`,
    `<line class="line" x1="${lineAt}" x2="${lineAt}" y1="${y + 17}" y2="${y + 37}"/>`,
    `<text class="text" x="${margin + plotWidth + 12}" y="${y + 31}"><tspan class="strong">${figures}</tspan><tspan class="quiet" dx="8">bar ${escaped(bar)}</tspan></text></g>`,
  ].join('\n')
}

function shortened(words: string, most: number): string {
  return words.length > most ? `${words.slice(0, Math.max(0, most - 1))}…` : words
}

function text(x: number, y: number, kind: string, words: string): string {
  return `<text class="${kind}" x="${x}" y="${y}">${escaped(words)}</text>`
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
