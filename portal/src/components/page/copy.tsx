import { ActionIcon, Box, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

export function Copy({ value, label = 'Copy' }: { value: string; label?: string }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          aria-label={copied ? 'Copied' : label}
          data-tooltip={copied ? 'Copied' : label}
          onClick={(event) => {
            event.stopPropagation()
            copy()
          }}
        >
          <Icon name={copied ? 'check' : 'copy'} size={14} />
        </ActionIcon>
      )}
    </CopyButton>
  )
}

interface CopiedProps {
  value: string
  text?: string
  label?: string
  /** For an address: all of it is seen, on several lines where it is long. */
  wrap?: boolean
}

/** An id, a key or an address with its copy button. */
export function Copied({ value, text = value, label, wrap = false }: CopiedProps) {
  return (
    <Group gap={4} wrap="nowrap" style={{ minWidth: 0 }}>
      <Text span ff="monospace" size="xs" {...(wrap ? { style: { overflowWrap: 'anywhere' } } : { truncate: true })}>
        {text}
      </Text>
      <Copy value={value} {...(label ? { label } : {})} />
    </Group>
  )
}

interface CodeBlockProps {
  code: string
  /** Instead of the code, where a part of it is hidden. */
  shown?: string
  label?: string
  /** For a secret: all of it is seen. */
  wrap?: boolean
  /** More buttons. */
  children?: ReactNode
}

/** The buttons are beside the text, so that nothing lies under them. */
export function CodeBlock({ code, shown = code, label = 'Copy code', wrap = false, children }: CodeBlockProps) {
  return (
    <Box className="code-block">
      <Code
        block
        tabIndex={0}
        style={wrap ? { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } : { overflowX: 'auto' }}
      >
        {shown}
      </Code>
      <Stack gap={4} p={6}>
        <Copy value={code} label={label} />
        {children}
      </Stack>
    </Box>
  )
}
