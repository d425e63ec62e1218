import { Button, Center, Container } from '@mantine/core'
import { type ReactNode, Suspense, useEffect, useMemo } from 'react'
import { isRouteErrorResponse, Link, Navigate, Outlet, useLocation, useParams, useRouteError } from 'react-router'
import { ApiProvider, customerApi, partnerApi } from '../api/api.tsx'
import { goToSignIn } from '../api/http.ts'
import { type Session, useSession } from '../api/session.tsx'
import { Empty, Failure, Loading } from '../components/page.tsx'
import { Frame } from './frame.tsx'
import { customerNav, partnerNav } from './nav.ts'
import { Person } from './person.tsx'
import { homeOf, Places, rememberPlace } from './places.tsx'

function SignedIn({ children }: { children: (session: Session) => ReactNode }) {
  const session = useSession()
  const signedOut = session.error?.status === 401
  useEffect(() => {
    if (signedOut) goToSignIn()
  }, [signedOut])
  if (session.data) return children(session.data)
  if (session.error && !signedOut) {
    return (
      <Container size="xs" py="xl">
        <Failure error={session.error} retry={() => void session.refetch()} />
      </Container>
    )
  }
  return (
    <Container size="xs" py="xl">
      <Loading rows={4} />
    </Container>
  )
}

export function Home() {
  return (
    <SignedIn>
      {(session) => {
        const to = homeOf(session)
        if (to) return <Navigate to={to} replace />
        return (
          <Empty icon="building" title="You belong to no organization yet">
            Ask an administrator of your organization to invite {session.user.email}.
          </Empty>
        )
      }}
    </SignedIn>
  )
}

/** `/customer/devices`, as docs and mails write it, is the same page of whichever customer this person is at. */
export function AnyCustomer() {
  return (
    <SignedIn>{(session) => <Elsewhere first={session.customers[0]?.id} kind="customer" session={session} />}</SignedIn>
  )
}

export function AnyPartner() {
  return (
    <SignedIn>{(session) => <Elsewhere first={session.partners[0]?.id} kind="partner" session={session} />}</SignedIn>
  )
}

function Elsewhere({
  first,
  kind,
  session,
}: {
  first: string | undefined
  kind: 'customer' | 'partner'
  session: Session
}) {
  const { pathname, search } = useLocation()
  const home = homeOf(session)
  const id = home?.startsWith(`/${kind}/`) ? home.slice(kind.length + 2) : first
  if (!id) return <Navigate to="/" replace />
  return <Navigate to={`/${kind}/${id}${pathname.slice(kind.length + 1)}${search}`} replace />
}

export function CustomerGate() {
  const { customerId = '' } = useParams()
  const api = useMemo(() => customerApi(customerId), [customerId])
  return (
    <SignedIn>
      {(session) => {
        const customer = session.customers.find(({ id }) => id === customerId)
        if (!customer) return <NotYours what="organization" email={session.user.email} />
        return (
          <ApiProvider api={api} key={customerId}>
            <Remember path={`/customer/${customerId}`} />
            <Frame
              nav={customer.role === 'administrator' ? customerNav(customerId) : []}
              place={<Places session={session} here={{ customer: customerId }} />}
              person={<Person />}
            >
              {customer.role === 'administrator' ? <Pages /> : <MembersPage name={customer.name} />}
            </Frame>
          </ApiProvider>
        )
      }}
    </SignedIn>
  )
}

export function PartnerGate() {
  const { partnerId = '' } = useParams()
  const api = useMemo(() => partnerApi(partnerId), [partnerId])
  return (
    <SignedIn>
      {(session) => {
        const partner = session.partners.find(({ id }) => id === partnerId)
        if (!partner) return <NotYours what="partner" email={session.user.email} />
        return (
          <ApiProvider api={api} key={partnerId}>
            <Remember path={`/partner/${partnerId}`} />
            <Frame
              nav={partnerNav(partnerId)}
              place={<Places session={session} here={{ partner: partnerId }} />}
              person={<Person />}
            >
              <Pages />
            </Frame>
          </ApiProvider>
        )
      }}
    </SignedIn>
  )
}

export function Pages() {
  return (
    <Suspense fallback={<Loading />}>
      <Outlet />
    </Suspense>
  )
}

function Remember({ path }: { path: string }) {
  useEffect(() => rememberPlace(path), [path])
  return null
}

/** A member connects applications; everything in this portal is an administrator's. */
function MembersPage({ name }: { name: string }) {
  return (
    <Empty icon="people" title={`You are a member of ${name}`}>
      You can sign in to applications that an administrator approved, from the application itself. Devices, spaces and
      settings are arranged by administrators: ask one of them to make you an administrator if that is your work.
    </Empty>
  )
}

function NotYours({ what, email }: { what: string; email: string }) {
  return (
    <Center mih="60vh">
      <Empty
        icon="shield"
        title={`This ${what} is not one of yours`}
        action={
          <Button component={Link} to="/">
            Go to your own
          </Button>
        }
      >
        You are signed in as {email}. Someone who administers it can invite you, or you may have another account.
      </Empty>
    </Center>
  )
}

/** A page that broke, or one that does not exist. */
export function Broken() {
  const error = useRouteError()
  const missing = isRouteErrorResponse(error) && error.status === 404
  return (
    <Center mih="60vh">
      <Empty
        icon={missing ? 'search' : 'alert'}
        title={missing ? 'There is no such page' : 'This page broke'}
        action={
          <Button onClick={() => (missing ? location.assign('/') : location.reload())}>
            {missing ? 'Go to the start' : 'Load it again'}
          </Button>
        }
      >
        {missing
          ? 'The address may be old or mistyped.'
          : 'Nothing was changed by that. If it happens again, tell whoever runs this service.'}
      </Empty>
    </Center>
  )
}

export function NoSuchPage() {
  return (
    <Empty
      icon="search"
      title="There is no such page"
      action={
        <Button component={Link} to="/">
          Go to the start
        </Button>
      }
    >
      The address may be old or mistyped.
    </Empty>
  )
}
