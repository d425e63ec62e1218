// Each figure as a line of its own scale, below one another: what matters is whether it flattens.
import type { Taken } from './report.ts'

const labels = {
  memory: 'memory (MB)',
  files: 'open files',
  connections: 'connections',
  bytes: 'tables (MB)',
  indexes: 'indexes (MB)',
  wal: 'WAL per interval (MB)',
  dead: 'dead rows',
  p99: 'p99 of reads (ms)',
}
const inMegabytes = new Set(['memory', 'bytes', 'indexes', 'wal'])
const size = { width: 720, height: 90, left: 160 }

export function drawChart(points: Taken[]): string {
  const names = Object.keys(labels) as (keyof typeof labels)[]
  const last = points.at(-1)?.at ?? 1
  const lines = names.map((name, index) => {
    const values = points.map((point) => point[name] / (inMegabytes.has(name) ? 1024 ** 2 : 1))
    const most = Math.max(...values, 1)
    const top = index * size.height
    const path = points.map(({ at }, point) => {
      const x = size.left + (at / last) * (size.width - size.left - 10)
      return `${x.toFixed(1)},${(top + size.height - 10 - (values[point]! / most) * (size.height - 30)).toFixed(1)}`
    })
    return `<text x="8" y="${top + 50}">${labels[name]}</text><text x="8" y="${top + 68}">at most ${most.toFixed(0)}</text>
<polyline fill="none" stroke="#1c7ed6" stroke-width="1.5" points="${path.join(' ')}"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${names.length * size.height}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="white"/>
${lines.join('\n')}
</svg>
`
}
