import { Badge, Menu } from '@mantine/core'
import { Link } from 'react-router'
import type { Session } from '../api/session.tsx'
import { Icon } from '../components/icon.tsx'
import { PlaceMenu } from './frame.tsx'

interface Here {
  customer?: string
  partner?: string
}

const memory = 'landbridge.place'

/** The last place is where the next visit starts. */
export function rememberPlace(path: string): void {
  localStorage.setItem(memory, path)
}

/** Where `/` leads: back to the last place while it is still one of theirs, else to the first. */
export function homeOf(session: Session): string | null {
  const places = [
    ...session.customers.map(({ id }) => `/customer/${id}`),
    ...session.partners.map(({ id }) => `/partner/${id}`),
  ]
  const last = localStorage.getItem(memory)
  if (last && places.includes(last)) return last
  // A partner's engineer comes for the partner portal; the lab tenant is one click away.
  const customer = session.customers.find(({ lab }) => !lab)
  if (customer) return `/customer/${customer.id}`
  const partner = session.partners[0]
  return partner ? `/partner/${partner.id}` : (places[0] ?? null)
}

export function Places({ session, here }: { session: Session; here: Here }) {
  const customer = session.customers.find(({ id }) => id === here.customer)
  const partner = session.partners.find(({ id }) => id === here.partner)
  return (
    <PlaceMenu
      name={customer?.name ?? partner?.name ?? ''}
      note={
        customer?.lab ? (
          <Badge size="xs" color="gray">
            Lab
          </Badge>
        ) : partner ? (
          <Badge size="xs" color="gray" visibleFrom="xs">
            Partner
          </Badge>
        ) : null
      }
    >
      {session.customers.length > 0 && <Menu.Label>Customers</Menu.Label>}
      {session.customers.map(({ id, name, lab }) => (
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
      {session.partners.map(({ id, name }) => (
        <Menu.Item key={id} component={Link} to={`/partner/${id}`} leftSection={<Icon name="code" />}>
          {name}
        </Menu.Item>
      ))}
    </PlaceMenu>
  )
}
