import { ActionIcon, Menu, type MenuProps } from '@mantine/core'
import { Icon } from './icon.tsx'

/** What can be done to one thing, behind three dots. */
export function ActsMenu({ label, children, ...menu }: MenuProps & { label: string }) {
  return (
    <Menu position="bottom-end" {...menu}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
