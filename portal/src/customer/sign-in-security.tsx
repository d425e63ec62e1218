import { Anchor, Radio, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Link, useParams } from 'react-router'
import { useApi, useChange, useEtag, useRead } from '../api/api.tsx'
import type { ResponseOf } from '../api/operations.ts'
import { Form } from '../components/form/form.tsx'
import { Failure, Loading, Page, Panel } from '../components/page/page.tsx'

type Policy = ResponseOf<'GET /core/v1/organization/second-factor-policy'>

export function SignInSecurity() {
  const policy = useRead('GET /core/v1/organization/second-factor-policy')
  return (
    <Page
      title="Sign-in security"
      about="Who of this organization has to have a second factor: a passkey, or an app that shows codes."
    >
      {policy.data ? (
        <PolicyForm policy={policy.data} key={policy.data.policy} />
      ) : policy.error ? (
        <Failure error={policy.error} retry={() => void policy.refetch()} />
      ) : (
        <Loading rows={4} />
      )}
      <Counts />
    </Page>
  )
}

function PolicyForm({ policy }: { policy: Policy }) {
  const api = useApi()
  const etag = useEtag('GET /core/v1/organization/second-factor-policy')
  const form = useForm({ initialValues: { policy: policy.policy } })
  const save = useChange({
    run: () => api.send('PATCH /core/v1/organization/second-factor-policy', { body: form.values, etag }),
    invalidates: [
      'GET /core/v1/organization/second-factor-policy',
      'GET /core/v1/organization/second-factors',
      'GET /core/v1/organization/audit-events',
    ],
    done: () => 'Saved.',
    silent: true,
  })
  return (
    <Panel title="Require a second factor">
      <Form form={form} verb="Save" change={save} ready={etag !== undefined && form.values.policy !== policy.policy}>
        <Radio.Group aria-label="Who needs a second factor" {...form.getInputProps('policy')}>
          <Stack gap="xs">
            <Radio value="optional" label="Optional" description="Everyone decides for themselves" />
            <Radio
              value="administrators"
              label="Administrators"
              description="Who manages this organization needs one; members decide for themselves"
            />
            <Radio value="all" label="Everyone" description="Also members who only connect applications" />
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          People have seven days to set one up, from now, from joining, or from becoming an administrator. Then this
          organization opens for them only with it. API keys and connected apps go on working.
        </Text>
      </Form>
    </Panel>
  )
}

function Counts() {
  const { customerId } = useParams()
  const { data } = useRead('GET /core/v1/organization/second-factors')
  if (!data) return null
  const { passkey, app, none, missing } = data
  return (
    <Panel title="Who has one">
      <Stack gap={4}>
        <Text size="sm">
          {passkey.toLocaleString('en')} with a passkey, {app.toLocaleString('en')} with an app,{' '}
          {none.toLocaleString('en')} without.
        </Text>
        {missing > 0 && (
          <Text size="sm">
            <Anchor component={Link} to={`/customer/${customerId}/users?second_factor=missing`} inherit>
              {missing === 1 ? '1 user needs one' : `${missing.toLocaleString('en')} users need one`} and{' '}
              {missing === 1 ? 'has' : 'have'} none
            </Anchor>
          </Text>
        )}
      </Stack>
    </Panel>
  )
}
