import { Group, Text } from '@mantine/core'
import { usePages } from '../api/api.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Email } from '../components/page/email.tsx'
import { Empty, Page } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { NoMatch, SearchFilter, useFilters } from '../components/table/filters.tsx'
import { DataTable } from '../components/table/table.tsx'

export const personPath = ({ id }: { id: string }) => `/operator/people/${id}`

/** Two lines, for the first column of a table. */
export function PersonName({ person: { name, email } }: { person: { name: string; email: string } }) {
  return (
    <>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        <Email address={email} />
      </Text>
    </>
  )
}

export function People() {
  const filters = useFilters('search', 'sort')
  const { search, sort } = filters.values
  return (
    <Page
      title="People"
      about="Everyone with an account, in any customer or partner. Add a new person on the page of a customer or partner."
    >
      <Group>
        <SearchFilter filters={filters} name="search" label="Search people" placeholder="Search by name or email" />
      </Group>
      <DataTable
        list={usePages('GET /core/v1/operator/users', { search, sort })}
        listKey={JSON.stringify(filters.values)}
        sorting={{ value: sort, set: (value) => filters.set('sort', value, { replace: true }) }}
        label="People"
        unit="account"
        rowKey={({ id }) => id}
        to={personPath}
        columns={[
          { label: 'Name', sort: 'name', cell: (person) => <PersonName person={person} /> },
          { label: 'ID', wide: true, cell: ({ id }) => <Copied value={id} label="Copy user ID" /> },
          { label: 'Created', cell: ({ created_at }) => <When at={created_at} /> },
        ]}
        empty={
          search ? (
            <NoMatch title="Nobody found" onClear={filters.clear}>
              No account matches this email or name.
            </NoMatch>
          ) : (
            <Empty icon="account" title="No accounts yet">
              Create a partner or a customer: its first person gets the first account.
            </Empty>
          )
        }
      />
    </Page>
  )
}
