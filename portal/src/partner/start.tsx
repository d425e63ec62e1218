import { Button, Group, SimpleGrid, Text } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useRead } from '../api/api.tsx'
import { ExpiringKeys } from '../components/account/expiring-keys.tsx'
import { CodeBlock, Copied } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Fact, Loaded, Page, Panel } from '../components/page/page.tsx'
import { FleetSummary } from './fleet-summary.tsx'
import { PartnerOnboarding } from './onboarding.tsx'

export function Start() {
  const { partnerId } = useParams()
  const info = useRead('GET /core/v1/partner/info')
  return (
    <Page
      title={info.data?.name ?? 'Partner'}
      about="Connect your cloud: applications with OAuth, devices with the connector."
    >
      <ExpiringKeys to={`/partner/${partnerId}/api-keys`} />
      <FleetSummary at={(path) => `/partner/${partnerId}${path}`} />
      <PartnerOnboarding info={info.data} />
      <Loaded of={info}>
        {(data) => (
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Panel
              title="Your test tenant"
              actions={
                data.lab_customer_id ? (
                  <Button
                    component={Link}
                    to={`/customer/${data.lab_customer_id}`}
                    variant="light"
                    leftSection={<Icon name="flask" />}
                  >
                    Open test tenant
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
                  {data.portal_domain ?? 'Not set. Ask the operator for one: the consent screen needs it.'}
                </Fact>
                {data.lab_customer_id && (
                  <Fact label="Customer ID">
                    <Copied value={data.lab_customer_id} />
                  </Fact>
                )}
              </Group>
            </Panel>
            <Panel title="Partner kit">
              <Text size="sm" mb="sm">
                A library for Node.js, Deno, Bun and workers: it connects organizations, registers devices, keeps their
                messages through outages and checks webhooks. It comes from this service, in the same version.
              </Text>
              <CodeBlock code={`npm install ${location.origin}/kit.tgz`} />
            </Panel>
          </SimpleGrid>
        )}
      </Loaded>
    </Page>
  )
}
