import { Button, Center, Container } from '@mantine/core'
import { Component, type ReactNode, Suspense, useEffect, useMemo } from 'react'
import { Link, Navigate, Outlet, useLocation, useParams } from 'react-router'
import { ApiProvider } from '../api/api.tsx'
import { customerApi, partnerApi } from '../api/calls.ts'
import { homeOf, rememberWorkspace } from '../api/home.ts'
import { goToSignIn } from '../api/http.ts'
import { useReach } from '../api/permitted.ts'
import { type Session, sessionEnded, useSession } from '../api/session.tsx'
import { AskAdministrator } from '../components/page/administrators.tsx'
import { Empty, Failure, Loading } from '../components/page/page.tsx'
import { Frame } from './frame.tsx'
import { AccountMenu, WorkspaceSwitcher } from './header.tsx'
import { customerNav, isAmong, type NavGroup, partnerNav } from './nav.ts'
import { isOverdue, SecondFactorNeeded, SecondFactorNotice } from './second-factor.tsx'
import { SessionEndDialog } from './session-end.tsx'

function SignedIn({ children }: { children: (session: Session) => ReactNode }) {
  const session = useSession()
  const signedOut = session.error?.status === 401
  const known = session.data !== undefined
  useEffect(() => {
    if (!signedOut) return
    // Nothing can be lost yet; later the page stays as it is, with what was typed.
    if (known) sessionEnded(false)
    else goToSignIn()
  }, [signedOut, known])
  if (session.data) {
    return (
      <>
        {children(session.data)}
        <SessionEndDialog user={session.data.user} />
      </>
    )
  }
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
          <Empty icon="building" title="You are not a member of any organization yet">
            Ask an administrator of your organization to invite {session.user.email}.
          </Empty>
        )
      }}
    </SignedIn>
  )
}

/** `/customer/devices` without an id redirects to that page of the user's customer. */
export function AnyCustomer() {
  return (
    <SignedIn>
      {(session) => <RedirectTo first={session.customers[0]?.id} kind="customer" session={session} />}
    </SignedIn>
  )
}

export function AnyPartner() {
  return (
    <SignedIn>{(session) => <RedirectTo first={session.partners[0]?.id} kind="partner" session={session} />}</SignedIn>
  )
}

function RedirectTo({
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

export function CustomerLayout() {
  const { customerId = '' } = useParams()
  const api = useMemo(() => customerApi(customerId), [customerId])
  return (
    <SignedIn>
      {(session) => {
        const customer = session.customers.find(({ id }) => id === customerId)
        if (!customer) return <NoAccess what="organization" email={session.user.email} />
        return (
          <ApiProvider api={api} key={customerId}>
            <Remember path={`/customer/${customerId}`} />
            <CustomerFrame session={session} customer={customer} />
          </ApiProvider>
        )
      }}
    </SignedIn>
  )
}

function CustomerFrame({ session, customer }: { session: Session; customer: Session['customers'][number] }) {
  const reach = useReach()
  const nav = customerNav(customer.id, reach)
  return (
    <Frame
      nav={nav}
      switcher={<WorkspaceSwitcher session={session} current={{ customer: customer.id }} />}
      account={<AccountMenu />}
    >
      <SecondFactorNotice name={customer.name} demand={customer.second_factor} />
      {customer.second_factor && isOverdue(customer.second_factor) ? (
        <SecondFactorNeeded name={customer.name} demand={customer.second_factor} />
      ) : !customer.can_open_portal ? (
        <MemberPage name={customer.name} />
      ) : customer.role === 'administrator' ? (
        <Pages />
      ) : reach.length === 0 ? (
        <Loading />
      ) : (
        <PermittedPages nav={nav} />
      )}
    </Frame>
  )
}

export function PartnerLayout() {
  const { partnerId = '' } = useParams()
  const api = useMemo(() => partnerApi(partnerId), [partnerId])
  return (
    <SignedIn>
      {(session) => {
        const partner = session.partners.find(({ id }) => id === partnerId)
        if (!partner) return <NoAccess what="partner" email={session.user.email} />
        return (
          <ApiProvider api={api} key={partnerId}>
            <Remember path={`/partner/${partnerId}`} />
            <Frame
              nav={partnerNav(partnerId)}
              switcher={<WorkspaceSwitcher session={session} current={{ partner: partnerId }} />}
              account={<AccountMenu />}
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

/** Those of the navigation; the others are for people who may do more. */
function PermittedPages({ nav }: { nav: NavGroup[] }) {
  const { customerId } = useParams()
  const { pathname } = useLocation()
  if (isAmong(nav, pathname)) return <Pages />
  return (
    <Empty
      icon="shield"
      title="You have no access to this page"
      action={
        <Button component={Link} to={`/customer/${customerId}`}>
          Go to the overview
        </Button>
      }
    >
      Your role in this organization does not include it. <AskAdministrator /> if you need more.
    </Empty>
  )
}

function Remember({ path }: { path: string }) {
  useEffect(() => rememberWorkspace(path), [path])
  return null
}

/** Members only connect applications, unless an administrator gives them a role. */
function MemberPage({ name }: { name: string }) {
  return (
    <Empty icon="people" title={`You are a member of ${name}`}>
      You can sign in to approved applications from the application itself. Devices, spaces and settings are for
      administrators and people with a role. <AskAdministrator /> to give you one.
    </Empty>
  )
}

function NoAccess({ what, email }: { what: string; email: string }) {
  return (
    <Center mih="60vh">
      <Empty
        icon="shield"
        title={`You have no access to this ${what}`}
        action={
          <Button component={Link} to="/">
            Go to my workspace
          </Button>
        }
      >
        You are signed in as {email}. Ask an administrator to invite you, or sign in with another account.
      </Empty>
    </Center>
  )
}

/** Around everything: an error of ours, or a file of the portal that cannot be loaded. Another address is tried again. */
export function WithErrorPage({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  return <ErrorBoundary at={pathname}>{children}</ErrorBoundary>
}

interface Boundary {
  failed: boolean
  at: string | null
}

class ErrorBoundary extends Component<{ at: string; children: ReactNode }, Boundary> {
  override state: Boundary = { failed: false, at: null }

  static getDerivedStateFromError(): Partial<Boundary> {
    return { failed: true }
  }

  static getDerivedStateFromProps({ at }: { at: string }, state: Boundary): Boundary | null {
    return at === state.at ? null : { failed: false, at }
  }

  override render() {
    return this.state.failed ? <ErrorPage /> : this.props.children
  }
}

function ErrorPage() {
  return (
    <Center mih="60vh">
      <Empty
        icon="alert"
        title="Something went wrong"
        action={<Button onClick={() => location.reload()}>Reload</Button>}
      >
        Reload the page. If it happens again, contact the operator of this service.
      </Empty>
    </Center>
  )
}

export function NoSuchPage() {
  return (
    <Empty
      icon="search"
      title="Page not found"
      action={
        <Button component={Link} to="/">
          Go to start page
        </Button>
      }
    >
      Check the address.
    </Empty>
  )
}
