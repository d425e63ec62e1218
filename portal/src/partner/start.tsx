import { Anchor, Button, Group, SimpleGrid, Stack, Text, ThemeIcon } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import { Link, useParams } from 'react-router'
import { usePages, useRead } from '../api/api.tsx'
import type { Application, FleetDevice, Model, PartnerInfo } from '../api/partner.ts'
import { Copied } from '../components/copy.tsx'
import { Icon } from '../components/icon.tsx'
import { Fact, Loaded, Loading, Page, Panel } from '../components/page.tsx'
import { withMoreStyles } from '../more-styles.ts'
import { FleetSummary } from './fleet-summary.tsx'

/** Its colour picker is as large as the rest of the page. */
const Branding = lazy(async () => ({ default: (await withMoreStyles(import('./branding.tsx'))).Branding }))

/** A checklist to a working integration; steps are checked off automatically where the service knows that they are done. */
export function Start() {
  const { partnerId } = useParams()
  const at = (path: string) => `/partner/${partnerId}${path}`
  const info = useRead<PartnerInfo>('/info')
  const applications = usePages<Application>('/applications', { limit: 5 })
  const models = usePages<Model>('/models', { limit: 5 })
  const devices = usePages<FleetDevice>('/devices', { limit: 5 })
  return (
    <Page
      title={info.data?.name ?? 'Partner'}
      about="Connect your cloud: applications with OAuth, devices with the connector."
    >
      <FleetSummary at={at} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Panel title="Applications">
          <Stack gap="sm">
            <Step done={applications.items.length > 0} title="Get an application">
              The operator registers it and sends you the client id and secret.{' '}
              <Anchor component={Link} to={at('/applications')} inherit underline="always">
                Applications
              </Anchor>
            </Step>
            <Step title="Try the OAuth flow">
              Every request and response, step by step, with your lab tenant.{' '}
              <Anchor component={Link} to={at('/playground')} inherit underline="always">
                OAuth playground
              </Anchor>
            </Step>
            <Step title="Find out why a request failed">
              Every failed request, with the reason and what to do.{' '}
              <Anchor component={Link} to={at('/integration-log')} inherit underline="always">
                Integration log
              </Anchor>
            </Step>
          </Stack>
        </Panel>
        <Panel title="Devices">
          <Stack gap="sm">
            <Step done={models.items.length > 0} title="Add a model">
              Your devices register with its id and hardware key.{' '}
              <Anchor component={Link} to={at('/models')} inherit underline="always">
                Models
              </Anchor>
            </Step>
            <Step done={devices.items.length > 0} title="Register a device and send telemetry">
              The simulator does both, without hardware.{' '}
              <Anchor component={Link} to={at('/simulator')} inherit underline="always">
                Device simulator
              </Anchor>
            </Step>
            <Step done={devices.items.some(({ claimed }) => claimed)} title="Claim it in your lab tenant">
              With MAC and serial number, as a customer would.{' '}
              {info.data?.lab_customer_id && (
                <Anchor component={Link} to={`/customer/${info.data.lab_customer_id}/claim`} inherit underline="always">
                  Claim a device
                </Anchor>
              )}
            </Step>
          </Stack>
        </Panel>
      </SimpleGrid>
      <Loaded of={info}>
        {(data) => (
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Panel
              title="Your lab tenant"
              actions={
                data.lab_customer_id ? (
                  <Button
                    component={Link}
                    to={`/customer/${data.lab_customer_id}`}
                    variant="light"
                    leftSection={<Icon name="flask" />}
                  >
                    Open lab tenant
                  </Button>
                ) : null
              }
            >
              <Text size="sm" mb="sm">
                A customer of your own for testing: claim devices, approve and revoke applications. You sign in with the
                same account.
              </Text>
              <Group gap="xl" className="facts">
                <Fact label="Portal domain">
                  {data.portal_domain ?? 'not set: ask the operator, or the consent screen does not work'}
                </Fact>
                {data.lab_customer_id && (
                  <Fact label="Customer ID">
                    <Copied value={data.lab_customer_id} />
                  </Fact>
                )}
              </Group>
            </Panel>
            <Suspense
              fallback={
                <Panel title="Branding">
                  <Loading />
                </Panel>
              }
            >
              <Branding info={data} />
            </Suspense>
          </SimpleGrid>
        )}
      </Loaded>
    </Page>
  )
}

/** `done` is undefined where the service does not know. */
function Step({ done, title, children }: { done?: boolean; title: string; children: ReactNode }) {
  const mark = done === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': done ? 'Done' : 'To do' }
  return (
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <ThemeIcon size={22} radius="xl" variant={done ? 'filled' : 'default'} {...mark}>
        {done ? <Icon name="check" size={14} /> : <Icon name="right" size={12} />}
      </ThemeIcon>
      <div>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      </div>
    </Group>
  )
}
