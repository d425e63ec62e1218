import { Alert, Anchor, Breadcrumbs, Button, Center, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Link } from 'react-router'
import type { ApiError } from '../../api/http.ts'
import { AskAdministrator } from './administrators.tsx'
import { Icon, type IconName } from './icon.tsx'

interface PageProps {
  title: string
  /** Its state, beside the title. */
  badges?: ReactNode
  about?: ReactNode
  above?: { label: string; to: string }[]
  actions?: ReactNode
  /** Tables and charts use all the room there is; text and forms stay as wide as people can read. */
  wide?: boolean
  children: ReactNode
}

export function Page({ title, badges, about, above, actions, wide = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Landbridge`
  }, [title])
  return (
    <Stack gap="md" {...(wide ? { className: 'wide-page' } : {})}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div style={{ minWidth: 0, flex: '1 1 260px' }}>
          {above && (
            <Breadcrumbs mb={4} separatorMargin={6} fz="sm" className="breadcrumbs">
              {above.map(({ label, to }) => (
                <Anchor component={Link} to={to} key={to} size="sm">
                  {label}
                </Anchor>
              ))}
            </Breadcrumbs>
          )}
          <Group gap="sm">
            <Title order={1} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {badges}
          </Group>
          {about && (
            <Text c="dimmed" size="sm" mt={4} maw={720} component="div" className="whole-lines">
              {about}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

export function Panel({
  title,
  actions,
  children,
  p = 'md',
}: {
  title?: ReactNode
  actions?: ReactNode
  children: ReactNode
  p?: string | number
}) {
  return (
    <Paper withBorder p={p} component="section">
      {(title || actions) && (
        <Group justify="space-between" mb="sm" {...(p === 0 ? { px: 'md', pt: 'md' } : {})}>
          {typeof title === 'string' ? <Title order={2}>{title}</Title> : title}
          {actions}
        </Group>
      )}
      {children}
    </Paper>
  )
}

/** What belongs here, and the first step. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" ta="center">
        <Text c="dimmed" component="div">
          <Icon name={icon} size={36} />
        </Text>
        <Text fw={600}>{title}</Text>
        {children && (
          <Text c="dimmed" size="sm" component="div" maw={440} className="even-lines">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  )
}

const withAdministrator = (
  <>
    Your role does not allow this. <AskAdministrator />.
  </>
)

export function Failure({ error, retry }: { error: ApiError | Error; retry?: () => void }) {
  const { status, requestId } = error as Partial<ApiError>
  const hint =
    status === 403
      ? withAdministrator
      : status === 404
        ? 'It may have been removed, or you may not have access to it.'
        : status === 429
          ? 'Wait a moment, then try again.'
          : (error as Partial<ApiError>).away
            ? 'This loads by itself when the service is back.'
            : null
  return (
    <Alert
      color="red"
      icon={<Icon name="alert" />}
      title={status === 404 ? 'Not found' : 'Loading failed'}
      role="alert"
    >
      <Text size="sm">
        {error.message} {hint}
      </Text>
      {requestId && (
        <Text size="xs" mt={4}>
          Request ID: {requestId}
        </Text>
      )}
      {retry && status !== 404 && (
        <Button size="xs" variant="default" mt="xs" onClick={retry} leftSection={<Icon name="refresh" size={14} />}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

export function Loading({ rows = 5 }: { rows?: number }) {
  return (
    <Stack gap="xs" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <Skeleton key={row} height={22} width={`${92 - ((row * 17) % 40)}%`} />
      ))}
    </Stack>
  )
}

interface Query<Data> {
  data: Data | undefined
  error: ApiError | null
  isPending: boolean
  refetch: () => unknown
}

/** Shows the data, or that it is loading, or that it could not be loaded. */
export function Loaded<Data>({ of, children }: { of: Query<Data>; children: (data: Data) => ReactNode }) {
  if (of.data !== undefined) return children(of.data)
  if (of.error) return <Failure error={of.error} retry={() => void of.refetch()} />
  return <Loading />
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  )
}
