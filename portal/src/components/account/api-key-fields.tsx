import { Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { PermissionFields } from '../form/permission-fields.tsx'
import type { PermissionValues } from '../form/permissions.ts'
import { dayText } from '../page/when.tsx'

export interface KeyValues extends PermissionValues {
  name: string
  used_by: string
  /** Days from now, `never`, or `keep` for the expiry that it has. */
  expiry: string
}

const choices = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'Never' },
]
const dayMilliseconds = 86_400_000

/** As the service takes it; undefined: unchanged. */
export function expiryOf(choice: string): string | null | undefined {
  if (choice === 'keep') return undefined
  return choice === 'never' ? null : new Date(Date.now() + Number(choice) * dayMilliseconds).toISOString()
}

interface ApiKeyFieldsProps {
  form: UseFormReturnType<KeyValues>
  /** A customer's key can have less than everything. */
  ofCustomer: boolean
  /** The expiry of a key that exists; null: never. */
  expiresAt?: string | null
}

export function ApiKeyFields({ form, ofCustomer, expiresAt }: ApiKeyFieldsProps) {
  const { expiry } = form.values
  const at = expiryOf(expiry)
  const kept = expiresAt ? [{ value: 'keep', label: `As before: ${dayText(new Date(expiresAt))}` }] : []
  return (
    <>
      <TextInput label="Name" placeholder="Nightly export" {...form.getInputProps('name')} required data-autofocus />
      <TextInput
        label="Used by"
        description="The person, script or system to ask before you revoke it"
        placeholder="Ben Okri, export server"
        {...form.getInputProps('used_by')}
      />
      <Select
        label="Expires"
        description={at ? `Works until ${dayText(new Date(at))}. The overview warns you 14 days ahead.` : undefined}
        data={[...kept, ...choices]}
        allowDeselect={false}
        {...form.getInputProps('expiry')}
        error={form.errors.expires_at}
      />
      {ofCustomer && (
        <PermissionFields value={form.values} onChange={(changes) => form.setValues(changes)} errors={form.errors} />
      )}
    </>
  )
}
