import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CodeBlock } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'

/** A secret that is shown this once: it does not close by a stray click. */
export function SecretOnce({
  title,
  secret,
  children,
  onClose,
}: {
  title: string
  secret: string
  children?: ReactNode
  onClose: () => void
}) {
  return (
    <Dialog
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      size="lg"
    >
      <Stack gap="sm">
        <CodeBlock code={secret} label="Copy" />
        <Alert color="yellow" icon={<Icon name="alert" />} p="xs">
          <Text size="sm">It is shown this once and kept only as a digest. Copy it now.</Text>
        </Alert>
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            I have copied it
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
