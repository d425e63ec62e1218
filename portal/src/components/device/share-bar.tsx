import type { DeviceCounts } from '../../api/organization.ts'
import { formatNumber } from '../page/numbers.ts'
import { statusColor, statuses } from './status.tsx'
import { sumOf } from './status-tiles.tsx'

/** The shares of the statuses among some devices. */
export function ShareBar({ counts }: { counts: DeviceCounts }) {
  const there = statuses.filter(({ value }) => counts[value] > 0)
  const said = there.map(({ value, label }) => `${label} ${formatNumber(counts[value])}`).join(', ')
  return (
    <div className="share-bar" role="img" aria-label={sumOf(counts) === 0 ? 'No devices' : said} title={said}>
      {there.map(({ value }) => (
        <span key={value} style={{ flex: `${counts[value]} 0 3px`, background: statusColor(value) }} />
      ))}
    </div>
  )
}
