import { ActionIcon, type ActionIconProps, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '../../api/permitted.ts'
import type { Needed } from '../../api/reach.ts'
import { Icon, type IconName } from './icon.tsx'

interface ActionMenuProps {
  label: string
  icon?: IconName
  children: ReactNode
  size?: ActionIconProps['size']
  /** -1 where every action has its own key. */
  tabIndex?: number
  /** What its actions need; by default that the person manages the organization. Null: nothing in it changes anything. */
  needs?: Needed | null
}

export function ActionMenu({ label, icon = 'dots', needs = 'people: manage', children, ...button }: ActionMenuProps) {
  const permitted = useMay(needs ?? 'devices: read')
  if (needs !== null && !permitted) return null
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
