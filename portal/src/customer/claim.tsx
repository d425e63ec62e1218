import { SegmentedControl } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { usePages, useRead } from '../api/api.tsx'
import type { Model, Space } from '../api/organization.ts'
import { Empty, Page, Panel, Shown } from '../components/page.tsx'
import { ClaimMany } from './claim-many.tsx'
import { ClaimOne } from './claim-one.tsx'

export function Claim() {
  const [search, setSearch] = useSearchParams()
  const many = search.get('from') === 'list'
  const models = useRead<{ items: Model[] }>('/models', { limit: 100 })
  const spaces = usePages<Space>('/spaces')
  return (
    <Page
      title="Claim devices"
      about="A device registers itself through its partner’s cloud. Enter what is on its label, and it belongs to your organization."
      actions={
        <SegmentedControl
          aria-label="How many"
          value={many ? 'list' : 'one'}
          onChange={(value) => setSearch(value === 'list' ? { from: 'list' } : {}, { replace: true })}
          data={[
            { value: 'one', label: 'One device' },
            { value: 'list', label: 'A list or CSV' },
          ]}
        />
      }
    >
      <Shown of={models}>
        {({ items }) =>
          items.length === 0 ? (
            <Panel>
              <Empty icon="device" title="There are no models to claim yet">
                A partner adds its device models in the partner portal; then their devices can be claimed here.
              </Empty>
            </Panel>
          ) : (
            <Panel>
              {many ? (
                <ClaimMany models={items} spaces={spaces.items} />
              ) : (
                <ClaimOne models={items} spaces={spaces.items} />
              )}
            </Panel>
          )
        }
      </Shown>
    </Page>
  )
}
