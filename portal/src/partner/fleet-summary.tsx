import { Anchor, SimpleGrid, Stack, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useRead } from '../api/api.tsx'
import type { DeviceCounts, Status } from '../api/organization.ts'
import type { FleetCounts } from '../api/partner.ts'
import { ShareBar } from '../components/device/share-bar.tsx'
import { countText, StatusTiles, sumOf } from '../components/device/status-tiles.tsx'
import { Loaded, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'

type Row = FleetCounts['items'][number]
interface Part {
  key: string
  label: string
  /** Narrows the fleet to it. */
  to?: string
  counts: DeviceCounts
}

/** Parts shown; the others are one line. */
const maxParts = 6

/** The fleet by status, model and firmware version. Nothing while there is no device. */
export function FleetSummary({ at }: { at: (path: string) => string }) {
  const fleet = useRead('GET /core/v1/partner/devices/counts', {}, { every: 30_000 })
  const to = (status: Status) => at(`/devices?status=${status}`)
  if (fleet.data?.items.length === 0 && fleet.data.counted_at !== null) return null
  return (
    <Loaded of={fleet}>
      {({ items, counted_at }) => (
        <Stack gap="md">
          <StatusTiles counts={counted_at === null ? undefined : addUp(items)} to={to} />
          <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
            <Panel title="Models">
              <Parts
                label="Devices by model"
                parts={partsOf(items, ({ model_id, model_name }) => ({
                  key: model_id,
                  label: model_name,
                  to: at(`/devices?model_id=${model_id}`),
                }))}
              />
            </Panel>
            <Panel title="Firmware versions">
              <Parts
                label="Devices by firmware version"
                parts={partsOf(items, ({ firmware_version, model_id, model_name }) => ({
                  key: `${model_id} ${firmware_version}`,
                  label: `${model_name} · ${firmware_version}`,
                }))}
              />
            </Panel>
          </SimpleGrid>
          {counted_at === null ? (
            <Text size="xs" c="dimmed">
              Your fleet is being counted. The numbers appear within ten minutes.
            </Text>
          ) : (
            <Text size="xs" c="dimmed">
              Counted <When at={counted_at} size="xs" />
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  )
}

function Parts({ label, parts }: { label: string; parts: Part[] }) {
  const shown = parts.length > maxParts + 1 ? parts.slice(0, maxParts) : parts
  const others = parts.slice(shown.length)
  const rows = others.length === 0 ? shown : [...shown, togetherOf(others)]
  return (
    <table className="plain-table" aria-label={label}>
      <tbody>
        {rows.map(({ key, label: name, to, counts }) => (
          <tr key={key}>
            <td className="breakable">
              {to ? (
                <Anchor component={Link} to={to} size="sm">
                  {name}
                </Anchor>
              ) : (
                <Text size="sm">{name}</Text>
              )}
            </td>
            <td className="right">{countText(sumOf(counts))}</td>
            <td style={{ width: '38%' }}>
              <ShareBar counts={counts} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function togetherOf(parts: Part[]): Part {
  return { key: 'others', label: `${parts.length} others`, counts: addUp(parts.map(({ counts }) => counts)) }
}

/** Rows with the same key together, the largest first. */
function partsOf(rows: Row[], nameOf: (row: Row) => Omit<Part, 'counts'>): Part[] {
  const groups = Map.groupBy(rows, (row) => nameOf(row).key)
  const parts = [...groups.values()].map((group) => ({ ...nameOf(group[0]!), counts: addUp(group) }))
  return parts.sort((one, other) => sumOf(other.counts) - sumOf(one.counts))
}

function addUp(rows: DeviceCounts[]): DeviceCounts {
  const total = { never_seen: 0, online: 0, offline: 0, error: 0 }
  for (const row of rows) {
    for (const status of ['never_seen', 'online', 'offline', 'error'] as const) total[status] += row[status]
  }
  return total
}
