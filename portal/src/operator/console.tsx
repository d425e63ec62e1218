import { ActionIcon, Button, Container, Paper, PasswordInput, Stack, Text, Title, Tooltip } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ApiProvider, operatorApi } from '../api/api.tsx'
import { type ApiError, call } from '../api/http.ts'
import { Icon } from '../components/icon.tsx'
import { Frame } from '../shell/frame.tsx'
import { Pages } from '../shell/layouts.tsx'
import { operatorNav } from '../shell/nav.ts'

const storageKey = 'landbridge.operator-key'

/** The operator has a key instead of an account; it is kept for this tab only. */
export function OperatorConsole() {
  const [key, setKey] = useState(() => sessionStorage.getItem(storageKey))
  const client = useQueryClient()
  const lock = useMemo(
    () => () => {
      sessionStorage.removeItem(storageKey)
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] === 'operator' })
      setKey(null)
    },
    [client],
  )
  const api = useMemo(() => (key ? operatorApi(key, lock) : null), [key, lock])
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
          <Tooltip label="Lock console">
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Lock console" onClick={lock}>
              <Icon name="signOut" />
            </ActionIcon>
          </Tooltip>
        }
      >
        <Pages />
      </Frame>
    </ApiProvider>
  )
}

function KeyForm({ onKey }: { onKey: (key: string) => void }) {
  const form = useForm({ initialValues: { key: '' } })
  const [pending, setPending] = useState(false)
  const open = form.onSubmit(async ({ key }) => {
    setPending(true)
    try {
      await call('/core/v1/operator/partners', { query: { limit: 1 }, headers: { authorization: key.trim() } })
      sessionStorage.setItem(storageKey, key.trim())
      onKey(key.trim())
    } catch (error) {
      const { status, message } = error as ApiError
      form.setFieldError('key', status === 401 ? 'Wrong operator key.' : message)
    } finally {
      setPending(false)
    }
  })
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
              description="LANDBRIDGE_OPERATOR_KEY, or the file operator.key in the data folder. It is kept in this tab only."
              {...form.getInputProps('key')}
              autoComplete="off"
              required
              data-autofocus
            />
            <Button type="submit" loading={pending}>
              Open console
            </Button>
          </Stack>
        </form>
      </Paper>
    </Container>
  )
}
