import { Badge, Group, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Application } from '../../api/partner.ts'
import { Copied } from '../page/copy.tsx'
import { Fact } from '../page/page.tsx'
import { When } from '../page/when.tsx'

/** The facts that the partner and the operator both see. */
export function ApplicationFacts({ application, children }: { application: Application; children?: ReactNode }) {
  return (
    <Group gap="xl" className="facts">
      <Fact label="Client ID">
        <Copied value={application.client_id} label="Copy client ID" />
      </Fact>
      {children}
      <Fact label="id_token signature">{application.id_token_alg}</Fact>
      <Fact label="Created">
        <When at={application.created_at} />
      </Fact>
    </Group>
  )
}

export function ApplicationState({ enabled }: { enabled: boolean }) {
  return <Badge color={enabled ? 'green' : 'red'}>{enabled ? 'Enabled' : 'Disabled by the operator'}</Badge>
}

export function Secrets({ secrets }: { secrets: Application['secrets'] }) {
  return (
    <Table aria-label="Secrets">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Prefix</Table.Th>
          <Table.Th>Created</Table.Th>
          <Table.Th>Expires</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {secrets.map(({ hint, created_at, expires_at }) => (
          <Table.Tr key={hint + created_at}>
            <Table.Td ff="monospace" fz="xs">
              {hint}…
            </Table.Td>
            <Table.Td>
              <When at={created_at} />
            </Table.Td>
            <Table.Td>
              <When at={expires_at} never="does not expire" />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
