import { Radio, Select, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useAll } from '../api/api.tsx'

export interface PolicyValues {
  policy: { kind: string; group_id: string | null }
}

/** As the service takes it. */
export function policyOf({ policy: { kind, group_id } }: PolicyValues) {
  return kind === 'group'
    ? { kind: 'group' as const, group_id: group_id! }
    : { kind: kind as 'everyone' | 'administrators' }
}

export function isComplete({ policy: { kind, group_id } }: PolicyValues): boolean {
  return kind !== 'group' || group_id !== null
}

/** Who may sign in to an application. */
export function PolicyFields<Values extends PolicyValues>({ form }: { form: UseFormReturnType<Values> }) {
  const groups = useAll('GET /core/v1/organization/groups').items.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <Radio.Group label="Who may sign in" {...form.getInputProps('policy.kind')}>
        <Stack gap={8} mt="xs">
          <Radio value="everyone" label="Everyone in this organization" />
          <Radio value="administrators" label="Administrators only" />
          <Radio
            value="group"
            label="One group"
            disabled={groups.length === 0}
            description={groups.length === 0 ? 'Create a group first' : undefined}
          />
        </Stack>
      </Radio.Group>
      {form.values.policy.kind === 'group' && (
        <Select label="Group" data={groups} {...form.getInputProps('policy.group_id')} searchable required />
      )}
    </>
  )
}
