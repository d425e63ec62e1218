import { Table, Text } from '@mantine/core'
import { useRead } from '../api/api.tsx'
import type { Limit } from '../api/operator.ts'
import { Page, Panel, Shown } from '../parts/page.tsx'

export function Limits() {
  const limits = useRead<{ items: Limit[] }>('/limits')
  return (
    <Page
      title="Limits in force"
      about="Counted in fixed windows that start with a key’s first request. Refused requests count too. The OAuth endpoints answer 429 without Retry-After, as the specification has it."
    >
      <Shown of={limits}>
        {({ items }) => (
          <Panel p={0}>
            <Table aria-label="Limits">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>What</Table.Th>
                  <Table.Th>For each</Table.Th>
                  <Table.Th ta="right">At most</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map(({ what, per, most, window_seconds }) => (
                  <Table.Tr key={what + per}>
                    <Table.Td>{what}</Table.Td>
                    <Table.Td>{per}</Table.Td>
                    <Table.Td ta="right">
                      {most}{' '}
                      <Text span size="xs" c="dimmed">
                        in {window_seconds >= 60 ? `${window_seconds / 60} min` : `${window_seconds} s`}
                      </Text>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Panel>
        )}
      </Shown>
    </Page>
  )
}
