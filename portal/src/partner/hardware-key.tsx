import { ActionIcon, Group, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Copy } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'

/** Hidden until it is asked for, wherever it is: people share their screens. What is copied has all of it. */
export function useHiddenKey(key: string): { shown: string; button: ReactNode } {
  const [visible, setVisible] = useState(false)
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={24}
      aria-label={visible ? 'Hide key' : 'Show key'}
      data-tooltip={visible ? 'Hide key' : 'Show key'}
      onClick={() => setVisible(!visible)}
    >
      <Icon name={visible ? 'hide' : 'show'} size={14} />
    </ActionIcon>
  )
  return { shown: visible ? key : `${key.slice(0, 10)}…`, button }
}

export function HiddenKey({ value }: { value: string }) {
  const { shown, button } = useHiddenKey(value)
  return (
    <Group gap={4} wrap="nowrap">
      <Text span ff="monospace" size="xs" style={{ overflowWrap: 'anywhere' }}>
        {shown}
      </Text>
      {button}
      <Copy value={value} label="Copy hardware key" />
    </Group>
  )
}
