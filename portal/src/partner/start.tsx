import { Anchor, Button, Group, SimpleGrid, Stack, Text, ThemeIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { usePages, useRead } from '../api/api.tsx'
import type { Application, FleetDevice, Model, PartnerInfo } from '../api/partner.ts'
import { Copied } from '../components/copy.tsx'
import { Fact } from '../components/fact.tsx'
import { Icon } from '../components/icon.tsx'
import { Page, Panel, Shown } from '../components/page.tsx'
import { Branding } from './branding.tsx'

/** The way from nothing to a working integration, with what is done already ticked off. */
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
      about="Connect your cloud in two ways: applications come in over OAuth, devices over the connector."
    >
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Panel title="Applications">
          <Stack gap="sm">
            <Step done={applications.items.length > 0} title="Have an application registered">
              The operator registers it and hands you the client id and secret.{' '}
              <Anchor component={Link} to={at('/applications')} inherit underline="always">
                Your applications
              </Anchor>
            </Step>
            <Step title="Walk the flow once">
              Every request and response, step by step, against your lab tenant.{' '}
              <Anchor component={Link} to={at('/playground')} inherit underline="always">
                OAuth playground
              </Anchor>
            </Step>
            <Step title="See why something failed">
              Each refusal with the reason behind it and what to do.{' '}
              <Anchor component={Link} to={at('/integration-log')} inherit underline="always">
                Integration log
              </Anchor>
            </Step>
          </Stack>
        </Panel>
        <Panel title="Devices">
          <Stack gap="sm">
            <Step done={models.items.length > 0} title="Add a model">
              Its id and hardware key let your devices register.{' '}
              <Anchor component={Link} to={at('/models')} inherit underline="always">
                Models
              </Anchor>
            </Step>
            <Step done={devices.items.length > 0} title="Register a device and send telemetry">
              Without hardware: the simulator does both, and the chart moves.{' '}
              <Anchor component={Link} to={at('/simulator')} inherit underline="always">
                Device simulator
              </Anchor>
            </Step>
            <Step done={devices.items.some(({ claimed }) => claimed)} title="Claim it in your lab tenant">
              By MAC and serial number, as a customer would.{' '}
              {info.data?.lab_customer_id && (
                <Anchor component={Link} to={`/customer/${info.data.lab_customer_id}/claim`} inherit underline="always">
                  Claim in the lab
                </Anchor>
              )}
            </Step>
          </Stack>
        </Panel>
      </SimpleGrid>
      <Shown of={info}>
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
                    Open the lab
                  </Button>
                ) : null
              }
            >
              <Text size="sm" mb="sm">
                A customer of your own, with the same sign-in, for trying everything: claim devices, approve
                applications, revoke them again.
              </Text>
              <Group gap="xl" className="facts">
                <Fact label="Portal domain">
                  {data.portal_domain ?? 'not set: ask the operator, or consent cannot be shown'}
                </Fact>
                {data.lab_customer_id && (
                  <Fact label="Lab customer id">
                    <Copied value={data.lab_customer_id} />
                  </Fact>
                )}
              </Group>
            </Panel>
            <Branding info={data} />
          </SimpleGrid>
        )}
      </Shown>
    </Page>
  )
}

/** `done` is left out where nobody can know: such a step is shown the way to, never called to do. */
function Step({ done, title, children }: { done?: boolean; title: string; children: ReactNode }) {
  const told = done === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': done ? 'Done' : 'To do' }
  return (
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <ThemeIcon size={22} radius="xl" variant={done ? 'filled' : 'default'} {...told}>
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
