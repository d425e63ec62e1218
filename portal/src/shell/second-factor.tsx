import { Anchor, Button, Text } from '@mantine/core'
import type { Session } from '../api/session.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Page } from '../components/page/page.tsx'

type Demand = NonNullable<Session['customers'][number]['second_factor']>

const dayMilliseconds = 86_400_000

/** Where the person does what is asked of them, and comes back here. */
function placeOf({ step }: Demand): string {
  const here = encodeURIComponent(location.pathname + location.search)
  return step === 'set_up' ? '/account' : `/account/prove?return_to=${here}`
}

export function isOverdue(demand: Demand | null): boolean {
  return demand !== null && demand.step !== 'met' && new Date(demand.due_at) <= new Date()
}

/** Instead of the pages, once the days of grace are over. */
export function SecondFactorNeeded({ name, demand }: { name: string; demand: Demand }) {
  const isNew = demand.step === 'set_up'
  return (
    <Page title={`${name} requires a second factor`}>
      <Empty
        icon="shield"
        title={isNew ? 'You have none yet' : 'You signed in without yours'}
        action={
          <Button component="a" href={placeOf(demand)}>
            {isNew ? 'Set up a second factor' : 'Present your second factor'}
          </Button>
        }
      >
        {isNew
          ? 'Add a passkey or an app that shows codes to your account. Then this organization opens again.'
          : 'Present it once, and this organization opens again.'}
      </Empty>
    </Page>
  )
}

/** During the days of grace, on every page. */
export function SecondFactorNotice({ name, demand }: { name: string; demand: Demand | null }) {
  if (demand === null || demand.step === 'met' || isOverdue(demand)) return null
  const days = Math.ceil((new Date(demand.due_at).getTime() - Date.now()) / dayMilliseconds)
  const left = days <= 1 ? 'Less than a day is left' : `${days} days are left`
  return (
    <div className="banner notice" role="status">
      <Icon name="shield" size={16} />
      <Text size="sm" component="span">
        {name} requires a second factor. {left}.{' '}
        <Anchor href={placeOf(demand)} inherit c="inherit" td="underline">
          {demand.step === 'set_up' ? 'Set one up' : 'Present yours'}
        </Anchor>
      </Text>
    </div>
  )
}
