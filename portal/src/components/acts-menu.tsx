import { ActionIcon, type ActionIconProps, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface ActsMenuProps {
  label: string
  children: ReactNode
  size?: ActionIconProps['size']
  /** -1 where the keyboard has another way to every act. */
  tabIndex?: number
}

/** What can be done to one thing, behind three dots. */
export function ActsMenu({ label, children, ...button }: ActsMenuProps) {
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
