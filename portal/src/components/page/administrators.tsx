import { Anchor } from '@mantine/core'
import { useParams } from 'react-router'
import { useSession } from '../../api/session.tsx'

/** “Ask Ada Lovelace or Ben Okri”, with their addresses; without names where the reader is no member, or administrates. */
export function AskAdministrator() {
  const { customerId } = useParams()
  const { data } = useSession({ enabled: customerId !== undefined })
  const people = data?.customers.find(({ id }) => id === customerId)?.administrators ?? []
  if (people.length === 0) return 'Ask an administrator'
  return (
    <>
      Ask{' '}
      {people.map(({ name, email }, index) => (
        <span key={email}>
          {index > 0 && (index === people.length - 1 ? ' or ' : ', ')}
          <Anchor href={`mailto:${email}`} data-tooltip={email} size="sm">
            {name}
          </Anchor>
        </span>
      ))}
    </>
  )
}
