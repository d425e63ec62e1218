import { ActionIcon, Badge, Group, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { type ComponentType, cloneElement, type ReactElement } from 'react'
import { Link } from 'react-router'
import { useReach } from '../api/permitted.ts'
import { may } from '../api/reach.ts'
import type { Session } from '../api/session.tsx'
import { Icon } from '../components/page/icon.tsx'
import { useLate } from './late.ts'
import type { MenuProps } from './menus.tsx'

const metaOf = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
const ownName = 'Landbridge'
const brandName = metaOf('brand') ?? ownName
const logo = metaOf('brand-logo')

/**
 * The partner of this portal domain, else ourselves. The mark is ours alone (decision 6.41). A phone has no room for its
 * name beside that of the workspace: both would be cut to three letters.
 */
export function Brand({ alone }: { alone: boolean }) {
  const nameOnly = !logo && brandName !== ownName
  return (
    <Link
      to="/"
      aria-label={`${brandName}: home`}
      className={nameOnly && !alone ? 'mantine-visible-from-sm' : ''}
      style={{ color: 'inherit', textDecoration: 'none', minWidth: 0 }}
    >
      <Group gap={8} wrap="nowrap" className="touchable" style={{ minWidth: 0 }}>
        {logo ? <img className="brand-logo" src={logo} alt="" /> : brandName === ownName && <Mark />}
        <Text fw={700} {...(nameOnly ? { truncate: true } : { visibleFrom: 'sm' })} style={{ whiteSpace: 'nowrap' }}>
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

const loadAccountMenu = async () => (await import('./menus.tsx')).AccountItems
const loadWorkspaceMenu = async () => (await import('./menus.tsx')).WorkspaceItems

export function AccountMenu() {
  return (
    <LateMenu
      load={loadAccountMenu}
      button={
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Your account">
          <Icon name="account" />
        </ActionIcon>
      }
    />
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
  const reach = useReach()
  const viewsOnly = customer?.role === 'member' && may(reach, 'devices: read') && !may(reach, 'devices: manage')
  const badge = viewsOnly ? 'View only' : badgeOf(customer, partner !== undefined)
  return (
    <LateMenu
      load={loadWorkspaceMenu}
      button={
        <UnstyledButton px={8} py={4} className="touchable" style={{ minWidth: 0, borderRadius: 6 }}>
          <Group gap={6} wrap="nowrap">
            <Text size="sm" fw={600} truncate>
              {customer?.name ?? partner?.name ?? ''}
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
      }
    />
  )
}

function badgeOf(customer: Session['customers'][number] | undefined, isPartner: boolean): string | null {
  if (customer?.lab && !customer.name.endsWith('(test tenant)')) return 'Test tenant'
  return isPartner ? 'Partner' : null
}

interface LateMenuProps {
  load: () => Promise<ComponentType<MenuProps>>
  button: ReactElement<object>
}

/** A menu whose file is loaded when it is first opened. */
function LateMenu({ load, button }: LateMenuProps) {
  const { Late, open } = useLate(load)
  if (Late) return <Late>{button}</Late>
  return cloneElement(button, { onClick: open, 'aria-haspopup': 'menu', 'aria-expanded': false } as object)
}
