import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'

/** With a way back, where there is one. */
export function tellDone(sentence: string, undo?: () => void): void {
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

export function tellRefusal(error: Error): void {
  notifications.show({
    color: 'red',
    title: 'That did not work',
    message: error.message,
    autoClose: 10_000,
    role: 'alert',
  })
}
