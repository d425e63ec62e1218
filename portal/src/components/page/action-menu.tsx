import { ActionIcon, type ActionIconProps, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMayChange } from '../../api/session.tsx'
import { Icon, type IconName } from './icon.tsx'

interface ActionMenuProps {
  label: string
  icon?: IconName
  children: ReactNode
  size?: ActionIconProps['size']
  /** -1 where every action has its own key. */
  tabIndex?: number
  /** Nothing in it changes anything, so that a viewer gets it too. */
  readsOnly?: boolean
}

export function ActionMenu({ label, icon = 'dots', readsOnly = false, children, ...button }: ActionMenuProps) {
  const mayChange = useMayChange()
  if (!mayChange && !readsOnly) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="dimmed" aria-label={label} {...button}>
          <Icon name={icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
