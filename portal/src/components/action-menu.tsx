import { ActionIcon, type ActionIconProps, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMayChange } from '../api/session.tsx'
import { Icon } from './icon.tsx'

interface ActionMenuProps {
  label: string
  children: ReactNode
  size?: ActionIconProps['size']
  /** -1 where every action has its own key. */
  tabIndex?: number
}

/** What changes something: a viewer gets no menu. */
export function ActionMenu({ label, children, ...button }: ActionMenuProps) {
  const mayChange = useMayChange()
  if (!mayChange) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="dimmed" aria-label={label} {...button}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
