import { Button, Grid, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { usePages, useRead } from '../api/api.tsx'
import type { FleetDeviceWithState, Model } from '../api/partner.ts'
import { Copied } from '../components/copy.tsx'
import { DeviceChart } from '../components/device-chart.tsx'
import { type Exchange, ExchangeView } from '../components/exchange.tsx'
import { Fact } from '../components/fact.tsx'
import { Empty, Page, Panel } from '../components/page.tsx'
import { StatusBadge } from '../components/status.tsx'
import { rememberDevice, rememberedDevice, type SimulatedDevice } from './simulated-device.ts'
import { ClaimInLab } from './simulator-claim.tsx'
import { Register } from './simulator-register.tsx'
import { Send } from './simulator-send.tsx'

/** A device without hardware: it registers, sends, and what it sends is drawn as the service stored it. */
export function Simulator() {
  const { partnerId } = useParams()
  const models = usePages<Model>('/models')
  const [device, setDevice] = useState(rememberedDevice)
  const [last, setLast] = useState<Exchange | null>(null)
  const keep = (made: SimulatedDevice | null) => {
    setDevice(made)
    rememberDevice(made)
  }
  return (
    <Page
      title="Device simulator"
      about="Registers a device as your cloud would and sends its telemetry. Every request is real, and is shown."
    >
      {models.isSuccess && models.items.length === 0 ? (
        <Panel>
          <Empty
            icon="device"
            title="Make a model first"
            action={
              <Button component={Link} to={`/partner/${partnerId}/models`}>
                Go to models
              </Button>
            }
          >
            A device registers with its model’s id and hardware key.
          </Empty>
        </Panel>
      ) : (
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Stack gap="md">
              {device ? (
                <>
                  <Send device={device} onExchange={setLast} />
                  <ClaimInLab device={device} />
                  <Identity device={device} onForget={() => keep(null)} />
                </>
              ) : (
                <Register models={models.items} onExchange={setLast} onRegistered={keep} />
              )}
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stack gap="md">
              {device && <Drawn deviceId={device.id} />}
              {last && (
                <div>
                  <Text fw={600} size="sm" mb="xs">
                    Last request
                  </Text>
                  <ExchangeView exchange={last} />
                </div>
              )}
            </Stack>
          </Grid.Col>
        </Grid>
      )}
    </Page>
  )
}

function Identity({ device, onForget }: { device: SimulatedDevice; onForget: () => void }) {
  return (
    <Panel title="This device">
      <Group gap="lg">
        <Fact label="Serial">
          <Copied value={device.sn} />
        </Fact>
        <Fact label="MAC">
          <Copied value={device.mac} />
        </Fact>
        <Fact label="Device id">
          <Copied value={device.id} shown={`${device.id.slice(0, 8)}…`} />
        </Fact>
      </Group>
      <Button variant="subtle" color="gray" size="compact-sm" mt="sm" onClick={onForget}>
        Forget it and register another
      </Button>
    </Panel>
  )
}

const drawn = ['temperature', 'humidity']

function Drawn({ deviceId }: { deviceId: string }) {
  const device = useRead<FleetDeviceWithState>(`/devices/${deviceId}`, {}, { every: 1_000 })
  if (!device.data) return null
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Text size="sm" fw={600}>
          As the service has it
        </Text>
        <StatusBadge status={device.data.status} />
      </Group>
      <DeviceChart deviceId={deviceId} keys={drawn} arrived={device.data.last_seen_at} range="15m" />
    </Stack>
  )
}
