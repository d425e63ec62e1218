import { ActionIcon, Menu, Text } from '@mantine/core'
import { useSession } from '../api/session.tsx'
import { Icon } from '../components/icon.tsx'

/** Signing out is a form, as the account pages have it: the server ends the session, not the page. */
export function Person() {
  const { data } = useSession()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Your account">
          <Icon name="account" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
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
        <Menu.Item component="a" href="/docs" leftSection={<Icon name="code" />}>
          API reference
        </Menu.Item>
        <Menu.Divider />
        <form method="post" action="/sign-out">
          <Menu.Item component="button" type="submit" leftSection={<Icon name="leave" />}>
            Sign out
          </Menu.Item>
        </form>
      </Menu.Dropdown>
    </Menu>
  )
}
