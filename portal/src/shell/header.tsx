import { ActionIcon, Badge, Group, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { type Session, useSession } from '../api/session.tsx'
import { Icon } from '../components/icon.tsx'

const metaOf = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
const brandName = metaOf('brand') ?? 'Landbridge'
const logo = metaOf('brand-logo')

/** The partner of this portal domain, else ourselves. */
export function Brand() {
  return (
    <Link to="/" aria-label={`${brandName}: home`} style={{ color: 'inherit', textDecoration: 'none' }}>
      <Group gap={8} wrap="nowrap" className="touchable">
        {logo ? <img className="brand-logo" src={logo} alt="" /> : <Mark />}
        <Text fw={700} visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
          {brandName}
        </Text>
      </Group>
    </Link>
  )
}

function Mark() {
  return (
    <svg aria-hidden="true" width={26} height={26} viewBox="0 0 26 26">
      <rect width={26} height={26} rx={7} fill="var(--brand-6)" />
      <path d="M5 8.5v9M21 8.5v9M5 13h16" stroke="#fff" strokeWidth={2.4} strokeLinecap="round" fill="none" />
    </svg>
  )
}

/** Signing out is a form post: the server ends the session. */
export function AccountMenu() {
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
      </Menu.Dropdown>
    </Menu>
  )
}

interface Current {
  customer?: string
  partner?: string
}

/** The current customer or partner, and the way to the others. */
export function WorkspaceSwitcher({ session, current }: { session: Session; current: Current }) {
  const customer = session.customers.find(({ id }) => id === current.customer)
  const partner = session.partners.find(({ id }) => id === current.partner)
  const isLong = session.customers.length + session.partners.length > maxWithoutHint
  return (
    <SwitcherMenu name={customer?.name ?? partner?.name ?? ''} badge={badgeOf(customer, partner !== undefined)}>
      {isLong && <Menu.Label>To find one by its name, use Search (Ctrl-K)</Menu.Label>}
      {session.customers.length > 0 && <Menu.Label>Customers</Menu.Label>}
      {byName(session.customers).map(({ id, name, lab }) => (
        <Menu.Item
          key={id}
          component={Link}
          to={`/customer/${id}`}
          leftSection={<Icon name={lab ? 'flask' : 'building'} />}
        >
          {name}
        </Menu.Item>
      ))}
      {session.partners.length > 0 && <Menu.Label>Partners</Menu.Label>}
      {byName(session.partners).map(({ id, name }) => (
        <Menu.Item key={id} component={Link} to={`/partner/${id}`} leftSection={<Icon name="code" />}>
          {name}
        </Menu.Item>
      ))}
    </SwitcherMenu>
  )
}

const maxWithoutHint = 12

const names = new Intl.Collator(undefined, { numeric: true })

/** “Branch 2” before “Branch 10”. */
function byName<One extends { name: string }>(ones: One[]): One[] {
  return ones.toSorted((a, b) => names.compare(a.name, b.name))
}

function badgeOf(customer: Session['customers'][number] | undefined, isPartner: boolean): string | null {
  if (customer?.role === 'member' && customer.can_view_devices) return 'View only'
  if (customer?.lab && !customer.name.endsWith('(test tenant)')) return 'Test tenant'
  return isPartner ? 'Partner' : null
}

function SwitcherMenu({ name, badge, children }: { name: string; badge: string | null; children: ReactNode }) {
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <UnstyledButton px={8} py={4} className="touchable" style={{ minWidth: 0, borderRadius: 6 }}>
          <Group gap={6} wrap="nowrap">
            <Text size="sm" fw={600} truncate>
              {name}
            </Text>
            {badge && (
              <Badge size="xs" color="gray" visibleFrom="xs">
                {badge}
              </Badge>
            )}
            <Icon name="down" size={14} />
            <VisuallyHidden>: switch</VisuallyHidden>
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className="switcher">{children}</Menu.Dropdown>
    </Menu>
  )
}
