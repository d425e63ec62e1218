import { Text } from '@mantine/core'
import { useApi, useChange } from '../api/api.tsx'
import type { PasswordResetLink, User } from '../api/organization.ts'
import { FormDialog } from '../components/form.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { When } from '../components/when.tsx'

export function ResetLink({ user, onClose }: { user: User; onClose: () => void }) {
  const api = useApi()
  const make = useChange({
    run: () => api.post<PasswordResetLink>(`/users/${user.id}/password-reset`),
    quiet: true,
  })
  if (make.data) {
    return (
      <SecretOnce title={`New password for ${user.name}`} secret={make.data.link} onClose={onClose}>
        <Text size="sm">
          Hand this link to {user.name}. It works once, until <When at={make.data.expires_at} />. Their old password
          works until they set a new one. The link ends earlier if you are no longer an administrator here.
        </Text>
      </SecretOnce>
    )
  }
  return (
    <FormDialog title={`A link for ${user.name}?`} verb="Make the link" change={make} onClose={onClose}>
      <Text size="sm">Whoever opens the link can set a new password for {user.email}. Hand it to nobody else.</Text>
    </FormDialog>
  )
}
