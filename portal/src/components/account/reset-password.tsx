import { Text } from '@mantine/core'
import { useApi, useChange } from '../../api/api.tsx'
import { SecretOnce } from '../form/dialog.tsx'
import { FormDialog } from '../form/form.tsx'
import { shortTime } from '../page/when.tsx'

interface ResetPasswordProps {
  user: { id: string; name: string; email: string }
  /** When the link ends before its time, as the rest of a sentence. */
  earlier?: string
  onClose: () => void
}

/** A link is shown once; for administrators and the operator. */
export function ResetPassword({ user, earlier = '', onClose }: ResetPasswordProps) {
  const { kind, send } = useApi('organization', 'operator')
  const create = useChange({
    run: () => send(`POST /core/v1/${kind}/users/{id}/password-reset`, { id: user.id }),
    invalidates: [`GET /core/v1/${kind}/users`],
    silent: true,
  })
  if (create.data) {
    return (
      <SecretOnce
        title={`Password reset link for ${user.name}`}
        secret={create.data.link}
        kept="compared"
        onClose={onClose}
      >
        <Text size="sm">
          {create.data.mailed
            ? `Sent to ${user.email}. You can hand over the link, too.`
            : `Send this link to ${user.name}.`}{' '}
          Single use. Expires {shortTime(new Date(create.data.expires_at))}
          {earlier}. The old password works until a new one is set.
        </Text>
      </SecretOnce>
    )
  }
  return (
    <FormDialog title={`Reset password of ${user.name}`} verb="Create link" change={create} onClose={onClose}>
      <Text size="sm">
        Anyone who has the link can set a new password for {user.email}. Send it only to {user.name}.
      </Text>
    </FormDialog>
  )
}
