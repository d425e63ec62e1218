import { encode } from 'uqr'
import { type Content, html } from '../../platform/pages/html.ts'

/** As elements, since the policy of these pages allows no image but those of this host; black on white in dark, too. */
export function qrCode(text: string, label: string): Content {
  const { data, size } = encode(text, { ecc: 'L', border: 4 })
  const runs = data.flatMap((row, y) => [...rowRuns(row)].map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
  return html`
<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"></rect><path d="${runs.join('')}" fill="#000"></path></svg>`
}

/** Neighbouring dark squares as one rectangle. */
function* rowRuns(row: boolean[]): Generator<[x: number, length: number]> {
  for (let x = 0; x < row.length; x += 1) {
    if (!row[x]) continue
    const start = x
    while (row[x + 1]) x += 1
    yield [start, x - start + 1]
  }
}
