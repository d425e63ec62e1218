import { Text } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import type { User } from '../api/organization.ts'
import { Confirm } from '../parts/confirm.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import { When } from '../parts/when.tsx'

interface Link {
  link: string
  expires_at: string
}

export function ResetLink({ user, onClose }: { user: User; onClose: () => void }) {
  const api = useApi()
  const [made, setMade] = useState<Link | null>(null)
  const make = useChange({ run: () => api.post<Link>(`/users/${user.id}/password-reset`), quiet: true })
  if (made) {
    return (
      <SecretOnce title={`New password for ${user.name}`} secret={made.link} onClose={onClose}>
        <Text size="sm">
          Hand this link to {user.name}. It works once, until <When at={made.expires_at} />. Their old password works
          until they set a new one.
        </Text>
      </SecretOnce>
    )
  }
  return (
    <Confirm
      title={`A link for ${user.name}?`}
      verb="Make the link"
      onConfirm={async () => setMade(await make.mutateAsync())}
      onClose={() => {
        if (!make.isSuccess) onClose()
      }}
    >
      Whoever opens the link can set a new password for {user.email}. Hand it to nobody else.
    </Confirm>
  )
}
