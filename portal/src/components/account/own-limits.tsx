import { Table, Text } from '@mantine/core'
import { useApi, useRead } from '../../api/api.tsx'
import { Loaded, Panel } from '../page/page.tsx'
import { Used } from '../page/used.tsx'

const everyMilliseconds = 30_000

/** What this organization or partner has used of its rates and quotas. */
export function OwnLimits() {
  const { kind } = useApi('organization', 'partner')
  const limits = useRead(`GET /core/v1/${kind}/limits`, {}, { every: everyMilliseconds })
  return (
    <Panel title="Use and limits" p={0}>
      <Text c="dimmed" size="sm" px="md" pb="sm" maw={720}>
        Calls are counted per minute. Those beyond the limit get status 429, with the seconds to wait in Retry-After. If
        you need more of anything, ask the operator of this service.
      </Text>
      <Loaded of={limits}>
        {({ rates, quotas }) => (
          <Table aria-label="Use and limits" horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Limit</Table.Th>
                <Table.Th w="45%">Used</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rates.map(({ name, what, used, max, refused_at }) => (
                <Table.Tr key={name}>
                  <Table.Td>
                    {what}{' '}
                    <Text span size="xs" c="dimmed" className="one-line">
                      per minute
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    {/* The calls of this page would say nothing about those of the programs. */}
                    <Used used={name === 'credential' ? null : used} max={max} refusedAt={refused_at} />
                  </Table.Td>
                </Table.Tr>
              ))}
              {quotas.map(({ name, what, used, max, refused_at }) => (
                <Table.Tr key={name}>
                  <Table.Td>{what}</Table.Td>
                  <Table.Td>
                    <Used used={used} max={max} refusedAt={refused_at} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Loaded>
    </Panel>
  )
}
