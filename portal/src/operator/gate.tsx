import { ActionIcon, Button, Container, Paper, PasswordInput, Stack, Text, Title, Tooltip } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { ApiProvider, operatorApi } from '../api/api.tsx'
import { type ApiError, call } from '../api/http.ts'
import { Icon } from '../components/icon.tsx'
import { Frame } from '../shell/frame.tsx'
import { Pages } from '../shell/gates.tsx'
import { operatorNav } from '../shell/nav.ts'

const memory = 'landbridge.operator-key'

/** The operator has a key, not an account. It is kept for this tab only and goes with it. */
export function OperatorGate() {
  const [key, setKey] = useState(() => sessionStorage.getItem(memory))
  const client = useQueryClient()
  const forget = useMemo(
    () => () => {
      sessionStorage.removeItem(memory)
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] === 'operator' })
      setKey(null)
    },
    [client],
  )
  const api = useMemo(() => (key ? operatorApi(key, forget) : null), [key, forget])
  if (!api) return <AskForKey onKey={setKey} />
  return (
    <ApiProvider api={api}>
      <Frame
        nav={operatorNav}
        place={
          <Text size="sm" fw={600} px={8}>
            Operator
          </Text>
        }
        person={
          <Tooltip label="Lock the console">
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Lock the console" onClick={forget}>
              <Icon name="leave" />
            </ActionIcon>
          </Tooltip>
        }
      >
        <Pages />
      </Frame>
    </ApiProvider>
  )
}

function AskForKey({ onKey }: { onKey: (key: string) => void }) {
  const [key, setKey] = useState('')
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const open = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      await call('/core/v1/operator/partners', { query: { limit: 1 }, headers: { authorization: key.trim() } })
      sessionStorage.setItem(memory, key.trim())
      onKey(key.trim())
    } catch (error) {
      const { status, message } = error as ApiError
      setRefusal(status === 401 ? 'That is not this service’s operator key.' : message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Container size={440} py={80} component="main">
      <Paper withBorder p="lg">
        <form onSubmit={open}>
          <Stack>
            <div>
              <Title order={1}>Operator console</Title>
              <Text c="dimmed" size="sm" mt={4}>
                Partners, applications, signing keys and the health of this service.
              </Text>
            </div>
            <PasswordInput
              label="Operator key"
              description="LANDBRIDGE_OPERATOR_KEY, or the file operator.key in the data folder. It stays in this tab and is forgotten when you close it."
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={refusal}
              autoComplete="off"
              required
              data-autofocus
            />
            <Button type="submit" loading={busy}>
              Open the console
            </Button>
          </Stack>
        </form>
      </Paper>
    </Container>
  )
}
