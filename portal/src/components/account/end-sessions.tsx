import { useApi, useChange } from '../../api/api.tsx'
import { Confirm } from '../form/dialog.tsx'

interface EndSessionsProps {
  user: { id: string; name: string }
  onClose: () => void
}

/** For administrators and the operator. */
export function EndSessions({ user, onClose }: EndSessionsProps) {
  const { kind, send } = useApi('organization', 'operator')
  const end = useChange({
    run: () => send(`POST /core/v1/${kind}/users/{id}/end-sessions`, { id: user.id }),
    invalidates: [`GET /core/v1/${kind}/users`],
    done: ({ sessions }) =>
      sessions === 0
        ? `${user.name} was not signed in.`
        : `${user.name} is signed out of ${sessions} ${sessions === 1 ? 'browser' : 'browsers'}.`,
    silent: true,
  })
  return (
    <Confirm
      title={`Sign out ${user.name} everywhere?`}
      verb="Sign out everywhere"
      onConfirm={() => end.mutateAsync()}
      onClose={onClose}
    >
      Every browser in which {user.name} is signed in is signed out at once. {user.name} can sign in again. Connected
      applications stay connected.
    </Confirm>
  )
}
