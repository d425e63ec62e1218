import { ActionIcon, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { ApiProvider } from '../api/api.tsx'
import { operatorApi } from '../api/calls.ts'
import { operatorKeyName } from '../api/first-reads.ts'
import { loadAgain } from '../api/session.tsx'
import { Icon } from '../components/page/icon.tsx'
import { withMoreStyles } from '../more-styles.ts'
import { Frame } from '../shell/frame.tsx'
import { Pages } from '../shell/layouts.tsx'
import { operatorNav } from '../shell/nav.ts'

const KeyDialog = lazy(async () => ({ default: (await withMoreStyles(import('./key-form.tsx'))).KeyDialog }))
const KeyForm = lazy(async () => ({ default: (await withMoreStyles(import('./key-form.tsx'))).KeyForm }))

/** The operator has a key instead of an account; it is kept for this tab only. */
export function OperatorConsole() {
  const [key, setKey] = useState(() => sessionStorage.getItem(operatorKeyName))
  const [rejected, setRejected] = useState(false)
  const client = useQueryClient()
  const lock = useMemo(
    () => () => {
      sessionStorage.removeItem(operatorKeyName)
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] === 'operator' })
      setKey(null)
      setRejected(false)
    },
    [client],
  )
  const accept = (accepted: string) => {
    setKey(accepted)
    setRejected(false)
    void loadAgain(client)
  }
  const api = useMemo(() => (key ? operatorApi(key, () => setRejected(true)) : null), [key])
  if (!api) return <KeyForm onKey={setKey} />
  return (
    <ApiProvider api={api}>
      <Frame
        nav={operatorNav}
        switcher={
          <Text size="sm" fw={600} px={8}>
            Operator
          </Text>
        }
        account={
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label="Lock console"
            data-tooltip="Lock console"
            onClick={lock}
          >
            <Icon name="signOut" />
          </ActionIcon>
        }
      >
        <Pages />
      </Frame>
      {rejected && (
        <Suspense>
          <KeyDialog onKey={accept} onLock={lock} />
        </Suspense>
      )}
    </ApiProvider>
  )
}
