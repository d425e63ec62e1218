import { Button, Container, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { operatorKeyName } from '../api/first-reads.ts'
import { type ApiError, read } from '../api/http.ts'
import { Dialog } from '../components/form/dialog.tsx'

interface KeyProps {
  onKey: (key: string) => void
}

function useKeyForm(onKey: (key: string) => void) {
  const form = useForm({ initialValues: { key: '' } })
  const [pending, setPending] = useState(false)
  const open = form.onSubmit(async ({ key }) => {
    setPending(true)
    try {
      await read('GET /core/v1/operator/partners', { limit: 1 }, { headers: { authorization: key.trim() } })
      sessionStorage.setItem(operatorKeyName, key.trim())
      onKey(key.trim())
    } catch (error) {
      const { status, message } = error as ApiError
      form.setFieldError('key', status === 401 ? 'Wrong operator key.' : message)
    } finally {
      setPending(false)
    }
  })
  const field = (
    <PasswordInput
      label="Operator key"
      description="LANDBRIDGE_OPERATOR_KEY, or the file operator.key in the data folder. It is kept in this tab only."
      {...form.getInputProps('key')}
      autoComplete="off"
      required
      data-autofocus
    />
  )
  return { open, field, pending }
}

/** Over the page when the key no longer works, so that nothing typed below is lost. */
export function KeyDialog({ onKey, onLock }: KeyProps & { onLock: () => void }) {
  const { open, field, pending } = useKeyForm(onKey)
  return (
    <Dialog
      title="The operator key no longer works"
      onClose={onLock}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      zIndex={1000}
    >
      <form onSubmit={open}>
        <Stack gap="sm">
          <Text size="sm">
            Enter the current key. The page and everything you entered stay here. Anything you were sending was not
            done: send it again afterwards.
          </Text>
          {field}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onLock}>
              Lock console
            </Button>
            <Button type="submit" loading={pending}>
              Continue
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

export function KeyForm({ onKey }: KeyProps) {
  const { open, field, pending } = useKeyForm(onKey)
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
            {field}
            <Button type="submit" loading={pending}>
              Open console
            </Button>
          </Stack>
        </form>
      </Paper>
    </Container>
  )
}
