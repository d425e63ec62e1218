import { Button, Group, Text } from '@mantine/core'
import { useParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import { isWaiting } from '../api/commands.ts'
import type { ItemOf } from '../api/operations.ts'
import { commandLabel, commandSentence, commandStates, senderOf } from '../components/command/command-words.ts'
import { Empty, Page, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { NoMatch, useFilters } from '../components/table/filters.tsx'
import { SeveralFilter } from '../components/table/several-filter.tsx'
import { type Column, DataTable } from '../components/table/table.tsx'
import { BatchCounts } from './batch-progress.tsx'
import { CommandState } from './command-history.tsx'

type Listed = ItemOf<'GET /core/v1/organization/commands'>

/** What was sent to the devices of this organization: who sent what, and what became of it. */
export function Commands() {
  const { customerId } = useParams()
  const filters = useFilters('state', 'batch_id')
  const list = usePages('GET /core/v1/organization/commands', filters.values, { every: 10_000 })
  const { batch_id } = filters.values
  return (
    <Page title="Commands" about="What was sent to your devices in the last 90 days, newest first." wide>
      <Group gap="xs">
        <SeveralFilter
          filters={filters}
          name="state"
          label="State"
          placeholder="Any state"
          data={commandStates}
          w={200}
        />
        {batch_id && (
          <Button variant="light" onClick={() => filters.set('batch_id', null)}>
            Show all commands
          </Button>
        )}
      </Group>
      {batch_id && (
        <Panel title="Sent together">
          <BatchCounts batches={[batch_id]} />
        </Panel>
      )}
      <DataTable
        list={list}
        label="Commands"
        unit="command"
        rowKey={({ id }) => id}
        to={({ device_id }) => `/customer/${customerId}/devices/${device_id}?tab=commands`}
        below={(command) => <Below command={command} />}
        columns={columns}
        listKey={JSON.stringify(filters.values)}
        empty={
          filters.any ? (
            <NoMatch title="No matching commands" onClear={filters.clear}>
              Commands are kept for 90 days.
            </NoMatch>
          ) : (
            <Empty icon="play" title="No commands yet">
              Open a device and choose Commands, or select several in the list of devices. Which commands there are, the
              partner who makes the devices declares.
            </Empty>
          )
        }
      />
    </Page>
  )
}

const columns: Column<Listed>[] = [
  { label: 'Command', cell: commandLabel },
  { label: 'State', cell: (command) => <CommandState command={command} />, width: 115 },
  { label: 'Device', cell: ({ device_name, device_id }) => device_name ?? device_id, wide: true },
  { label: 'What happened', cell: (command) => whatHappened(command), wide: 'lg' },
  { label: 'Sent by', cell: senderOf, wide: true, width: 170 },
  { label: 'When', cell: ({ created_at }) => <When at={created_at} short />, width: 105, wide: true },
]

function whatHappened(command: Listed): string {
  return command.message && !isWaiting(command) ? command.message : commandSentence(command)
}

function Below({ command }: { command: Listed }) {
  return (
    <>
      <div>{command.device_name}</div>
      <Text span inherit>
        {senderOf(command)}, <When at={command.created_at} short />
      </Text>
    </>
  )
}
