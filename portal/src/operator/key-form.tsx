import { Button, Container, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { operatorKeyName } from '../api/first-reads.ts'
import { type ApiError, call } from '../api/http.ts'

export function KeyForm({ onKey }: { onKey: (key: string) => void }) {
  const form = useForm({ initialValues: { key: '' } })
  const [pending, setPending] = useState(false)
  const open = form.onSubmit(async ({ key }) => {
    setPending(true)
    try {
      await call('/core/v1/operator/partners', { query: { limit: 1 }, headers: { authorization: key.trim() } })
      sessionStorage.setItem(operatorKeyName, key.trim())
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
