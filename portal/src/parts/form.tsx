import { Alert } from '@mantine/core'
import type { ApiError } from '../api/http.ts'
import { Icon } from './icon.tsx'

/** The service names the field; the form shows its words beside it. */
export function fieldErrors(error: ApiError | null): Record<string, string> {
  return Object.fromEntries((error?.details ?? []).map(({ field, message }) => [field, message]))
}

/** What no single field can say. */
export function FormFailure({ error }: { error: ApiError | Error | null }) {
  if (!error || ((error as ApiError).details?.length ?? 0) > 0) return null
  return (
    <Alert color="red" icon={<Icon name="alert" />} role="alert" p="xs">
      {error.message}
    </Alert>
  )
}
