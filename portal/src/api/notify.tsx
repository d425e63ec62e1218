import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'

export function notifyDone(sentence: string, undo?: () => void): void {
  if (!undo) {
    notifications.show({ message: sentence })
    return
  }
  const id = notifications.show({
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{sentence}</Text>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => {
            notifications.hide(id)
            undo()
          }}
        >
          Undo
        </Button>
      </Group>
    ),
    autoClose: 8_000,
  })
}

export function notifyError(error: Error): void {
  notifications.show({
    color: 'red',
    title: 'Something went wrong',
    message: error.message,
    autoClose: 10_000,
    role: 'alert',
  })
}

/** The change was refused, and the page loads the current version. */
export function notifyConflict(): void {
  notifications.show({
    color: 'yellow',
    title: 'Someone else changed this',
    message: 'Your change was not made. The page now shows the current version.',
    autoClose: 10_000,
    role: 'alert',
  })
}
