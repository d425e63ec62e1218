import { Anchor, Badge, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { readQuery, useApi, usePages } from '../api/api.tsx'
import { type CommandState, waitingStates } from '../api/commands.ts'
import { commandSentence, commandStates, stateLooks } from '../components/command/command-words.ts'
import { formatNumber } from '../components/page/numbers.ts'
import { devicesText } from './device-amount.tsx'

export interface NotSent {
  id: string
  name: string
  reason: string
}

interface BatchProgressProps {
  batches: string[]
  /** How many commands were created. */
  accepted: number
  notSent: NotSent[]
  onClose: () => void
}

/** What became of a command to many devices so far, with those where it failed. */
export function BatchProgress({ batches, accepted, notSent, onClose }: BatchProgressProps) {
  const { customerId } = useParams()
  return (
    <Stack gap="sm">
      {accepted > 0 && <BatchCounts batches={batches} />}
      {notSent.length > 0 && (
        <Troubled title={`Not sent to ${devicesText(notSent.length)}`} items={notSent} customerId={customerId} />
      )}
      {batches.map((batch) => (
        <BatchFailures key={batch} batch={batch} />
      ))}
      <Text size="xs" c="dimmed">
        You can close this: it goes on, and Commands shows what becomes of it.
      </Text>
      <Group justify="flex-end" gap="xs">
        {batches[0] && (
          <Button variant="default" component={Link} to={`/customer/${customerId}/commands?batch_id=${batches[0]}`}>
            Show in Commands
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Stack>
  )
}

const pollMilliseconds = 2_000

/** Undefined while they are loading. */
function useBatchCounts(batches: string[]): Counts | undefined {
  const api = useApi()
  return useQueries({
    queries: batches.map((batch_id) => ({
      ...readQuery(api, 'GET /core/v1/organization/commands/counts', { batch_id }),
      // Until nothing waits any more.
      refetchInterval: ({ state: { data } }: { state: { data?: Counts | undefined } }) =>
        data && waitingIn(data) === 0 ? false : pollMilliseconds,
    })),
    combine: (reads) => reads.flatMap(({ data }) => (data ? [data] : [])).reduce(add, undefined),
  })
}

/** How many commands of the batches have which state. */
export function BatchCounts({ batches }: { batches: string[] }) {
  const counts = useBatchCounts(batches)
  if (!counts) return null
  const total = commandStates.reduce((sum, { value }) => sum + counts[value], 0)
  const ended = total - waitingIn(counts)
  const shown = commandStates.filter(({ value }) => counts[value] > 0)
  return (
    <Stack gap={6}>
      <Text size="sm" role="status">
        {ended === total
          ? `All ${formatNumber(total)} have ended.`
          : `${formatNumber(ended)} of ${formatNumber(total)} have ended.`}
      </Text>
      <Progress.Root size="lg" aria-hidden="true">
        {shown
          .filter(({ value }) => !waitingStates.includes(value))
          .map(({ value }) => (
            <Progress.Section key={value} value={(100 * counts[value]) / total} color={barColor(value)} />
          ))}
      </Progress.Root>
      <Group gap={6} component="ul" className="plain-list" aria-label="By state">
        {shown.map(({ value, label }) => (
          <li key={value}>
            <Badge color={stateLooks[value].color} size="lg">
              {formatNumber(counts[value])} {label.toLowerCase()}
            </Badge>
          </li>
        ))}
      </Group>
    </Stack>
  )
}

type Counts = Record<CommandState, number>

const waitingIn = (counts: Counts) => waitingStates.reduce((sum, state) => sum + counts[state], 0)

function add(sum: Counts | undefined, counts: Counts): Counts {
  if (!sum) return counts
  return Object.fromEntries(commandStates.map(({ value }) => [value, sum[value] + counts[value]])) as Counts
}

function barColor(state: CommandState): string {
  const { color } = stateLooks[state]
  return color === 'brand' ? 'brand.6' : `${color}.${color === 'yellow' || color === 'gray' ? 5 : 6}`
}

const troubled: CommandState[] = ['failed', 'rejected', 'expired', 'unknown', 'canceled']

function BatchFailures({ batch }: { batch: string }) {
  const { customerId } = useParams()
  const counts = useBatchCounts([batch])
  const list = usePages(
    'GET /core/v1/organization/commands',
    { batch_id: batch, state: troubled.join(',') },
    // Some may still change: a late report counts.
    { every: !counts || waitingIn(counts) > 0 ? 2 * pollMilliseconds : 15 * pollMilliseconds },
  )
  if (list.items.length === 0) return null
  const items = list.items.map((command) => ({
    id: command.device_id,
    name: command.device_name ?? command.device_id,
    reason: `${stateLooks[command.state].label}. ${command.message ?? commandSentence(command)}`,
  }))
  return (
    <Troubled
      title={list.hasNextPage ? 'The latest that did not succeed' : 'Not successful'}
      items={items}
      customerId={customerId}
    />
  )
}

interface TroubledProps {
  title: string
  items: NotSent[]
  customerId: string | undefined
}

function Troubled({ title, items, customerId }: TroubledProps) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Stack
        gap={4}
        mah={220}
        style={{ overflowY: 'auto' }}
        component="ul"
        className="plain-list"
        aria-label={title}
        tabIndex={0}
      >
        {items.map(({ id, name, reason }) => (
          <Text key={id} size="sm" component="li" style={{ overflowWrap: 'anywhere' }}>
            <Anchor
              component={Link}
              to={`/customer/${customerId}/devices/${id}?tab=commands`}
              size="sm"
              underline="always"
            >
              {name}
            </Anchor>
            : {reason}
          </Text>
        ))}
      </Stack>
    </Stack>
  )
}
