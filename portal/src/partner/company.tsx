import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useApi, useChange, useEtag, useRead } from '../api/api.tsx'
import type { PartnerInfo } from '../api/partner.ts'
import { RequestedChange } from '../components/application/requested-change.tsx'
import { Form } from '../components/form/form.tsx'
import { Loaded, Page, Panel } from '../components/page/page.tsx'
import { Branding } from './branding.tsx'
import { Domain } from './domain.tsx'

/** Who the partner is to customers. */
export function Company() {
  const info = useRead('GET /core/v1/partner/info')
  return (
    <Page
      title="Company"
      about="What customers see of you at sign-in, at consent and in their portal. The operator approves a new name or logo before customers see it."
    >
      <Loaded of={info}>
        {(data) => (
          <>
            {data.requested_change && (
              <RequestedChange change={data.requested_change} invalidates={['GET /core/v1/partner/info']} />
            )}
            <CompanyName info={data} key={data.name} />
            <Branding info={data} />
            <Domain />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function CompanyName({ info }: { info: PartnerInfo }) {
  const api = useApi()
  const etag = useEtag('GET /core/v1/partner/info')
  const form = useForm({ initialValues: { name: info.name } })
  const save = useChange<void, PartnerInfo>({
    run: () => api.send('PATCH /core/v1/partner/info', { body: form.values, etag }),
    invalidates: ['GET /core/v1/partner/info'],
    done: ({ requested_change }) => (requested_change ? 'Sent to the operator for approval.' : 'Saved.'),
    silent: true,
  })
  return (
    <Panel title="Name">
      <div style={{ maxWidth: 480 }}>
        <Form form={form} verb="Save name" change={save} ready={etag !== undefined}>
          <TextInput label="Company name" required {...form.getInputProps('name')} />
        </Form>
      </div>
    </Panel>
  )
}
