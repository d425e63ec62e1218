import { type MenuProps as MantineMenuProps, Menu, Text } from '@mantine/core'
import { cloneElement, type ReactElement, type ReactNode, type Ref, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { useSession } from '../api/session.tsx'
import { Icon } from '../components/page/icon.tsx'
import { compareNames } from '../locale.ts'

type Button = ReactElement<{ ref?: Ref<HTMLButtonElement> }>

export interface MenuProps {
  /** The button it belongs to. */
  children: Button
}

interface HeaderMenuProps {
  position: NonNullable<MantineMenuProps['position']>
  width: number
  button: Button
  children: ReactNode
}

/** Opens at once: it is loaded by a click on its button. */
function HeaderMenu({ position, width, button, children }: HeaderMenuProps) {
  const [opened, setOpened] = useState(false)
  const target = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // The button was replaced by one that knows the menu. It has to have the focus to get it back from the menu.
    target.current?.focus({ preventScroll: true })
    setOpened(true)
  }, [])
  return (
    <Menu position={position} width={width} opened={opened} onChange={setOpened}>
      <Menu.Target>{cloneElement(button, { ref: target })}</Menu.Target>
      <Menu.Dropdown className="switcher">{children}</Menu.Dropdown>
    </Menu>
  )
}

/** Signing out is a form post: the server ends the session. */
export function AccountItems({ children: button }: MenuProps) {
  const { data } = useSession()
  return (
    <HeaderMenu position="bottom-end" width={240} button={button}>
      {data && (
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {data.user.name}
          </Text>
          <Text size="xs">{data.user.email}</Text>
        </Menu.Label>
      )}
      <Menu.Item component="a" href="/account" leftSection={<Icon name="account" />}>
        Account and password
      </Menu.Item>
      <Menu.Item component={Link} to="/help" leftSection={<Icon name="help" />}>
        Guides
      </Menu.Item>
      <Menu.Item component="a" href="/docs" leftSection={<Icon name="code" />}>
        API reference
      </Menu.Item>
      <Menu.Divider />
      <form method="post" action="/sign-out">
        <Menu.Item component="button" type="submit" leftSection={<Icon name="signOut" />}>
          Sign out
        </Menu.Item>
      </form>
    </HeaderMenu>
  )
}

export function WorkspaceItems({ children: button }: MenuProps) {
  const { data } = useSession()
  const { customers = [], partners = [] } = data ?? {}
  return (
    <HeaderMenu position="bottom-start" width={280} button={button}>
      {customers.length > 0 && <Menu.Label>Customers</Menu.Label>}
      {customers.toSorted(compareNames).map(({ id, name, lab }) => (
        <Menu.Item
          key={id}
          component={Link}
          to={`/customer/${id}`}
          leftSection={<Icon name={lab ? 'flask' : 'building'} />}
        >
          {name}
        </Menu.Item>
      ))}
      {partners.length > 0 && <Menu.Label>Partners</Menu.Label>}
      {partners.toSorted(compareNames).map(({ id, name }) => (
        <Menu.Item key={id} component={Link} to={`/partner/${id}`} leftSection={<Icon name="code" />}>
          {name}
        </Menu.Item>
      ))}
    </HeaderMenu>
  )
}
