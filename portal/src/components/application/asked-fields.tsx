import { Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useForm } from '@mantine/form'
import { useApi, useChange, useEtag } from '../../api/api.tsx'
import type { Application } from '../../api/partner.ts'
import { Form } from '../form/form.tsx'
import { areaLabels, areas, choicesOf } from '../form/permissions.ts'
import { Panel } from '../page/page.tsx'
import { type Asked, type AskedValues, askedToSend, askedValues, nothingAsked } from './asked-permissions.ts'
import { isSaved, sentForApproval } from './requested-change.tsx'

/** Fields of a form that has `requested_permissions`. */
export function AskedFields<Values extends { requested_permissions: AskedValues | null }>({
  form,
}: {
  form: UseFormReturnType<Values>
}) {
  const { requested_permissions: asked } = form.values
  const choose = (next: AskedValues | null) => form.setFieldValue('requested_permissions', next as never)
  return (
    <>
      <Radio.Group
        label="What it asks for"
        value={asked === null ? 'everything' : 'named'}
        onChange={(next) => choose(next === 'everything' ? null : nothingAsked)}
      >
        <Stack gap={8} mt="xs">
          <Radio value="everything" label="Everything" description="All but commands to devices" />
          <Radio value="named" label="Only what it needs" description="Customers see each reason when they decide" />
        </Stack>
      </Radio.Group>
      {asked && areas.map((area) => <AskedArea key={area} area={area} form={form} />)}
    </>
  )
}

function AskedArea<Values extends { requested_permissions: AskedValues | null }>({
  area,
  form,
}: {
  area: (typeof areas)[number]
  form: UseFormReturnType<Values>
}) {
  const path = `requested_permissions.${area}`
  const isAsked = form.values.requested_permissions?.[area].level !== 'none'
  return (
    <div>
      <Select
        label={areaLabels[area]}
        data={choicesOf(area)}
        allowDeselect={false}
        {...form.getInputProps(`${path}.level`)}
      />
      {isAsked && (
        <TextInput
          mt={6}
          aria-label={`Why it needs ${areaLabels[area].toLowerCase()}`}
          placeholder="Why: one sentence for customers"
          maxLength={200}
          required
          {...form.getInputProps(`${path}.reason`)}
        />
      )}
    </div>
  )
}

/** For the application's partner, whose change waits for the operator, and for the operator. */
export function AskedPanel({ application, asked }: { application: Application; asked: Asked }) {
  const { kind, send } = useApi('partner', 'operator')
  const { client_id } = application
  const etag = useEtag(`GET /core/v1/${kind}/applications/{client_id}`, { client_id })
  const form = useForm({ initialValues: { requested_permissions: askedValues(asked) } })
  const save = useChange<void, Application>({
    run: () =>
      send(`PATCH /core/v1/${kind}/applications/{client_id}`, {
        client_id,
        body: { requested_permissions: askedToSend(form.values.requested_permissions) },
        etag,
      }),
    invalidates: [`GET /core/v1/${kind}/applications`],
    done: (changed) => (isSaved(changed) ? 'Saved.' : sentForApproval),
    silent: true,
  })
  return (
    <Panel title="Permissions it asks for">
      <Stack gap="md" maw={480}>
        <Text size="sm" c="dimmed">
          Shown to customers at consent, where they can allow less. Customers who approved the application keep what
          they approved.
        </Text>
        <Form form={form} verb="Save" change={save} ready={form.isDirty() && etag !== undefined}>
          <AskedFields form={form} />
        </Form>
      </Stack>
    </Panel>
  )
}
