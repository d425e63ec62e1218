import { Button, Grid, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useAll, useRead } from '../api/api.tsx'
import type { FleetDeviceWithState } from '../api/partner.ts'
import { type Dictionary, firstChartKeys } from '../components/device/data-points.ts'
import { DeviceChart } from '../components/device/device-chart.tsx'
import { useDictionary } from '../components/device/dictionary.ts'
import { StatusBadge } from '../components/device/status.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Empty, Fact, Page, Panel } from '../components/page/page.tsx'
import { type Exchange, ExchangeView } from './exchange.tsx'
import type { SimulatedDevice } from './simulated-device.ts'
import { simulatorMemory } from './simulator-memory.ts'
import { ClaimInLab, ContinueDevice, RegisterDevice, SendTelemetry } from './simulator-steps.tsx'

/** A device without hardware: it registers, sends telemetry, and shows what the service stored. */
export function Simulator() {
  const { partnerId = '' } = useParams()
  const models = useAll('GET /core/v1/partner/models')
  const memory = simulatorMemory(partnerId, sessionStorage, localStorage)
  const [device, setDevice] = useState(memory.current)
  const [last, setLast] = useState<Exchange | null>(null)
  const changeDevice = (next: SimulatedDevice | null) => {
    setDevice(next)
    if (next) memory.keep(next)
    else memory.leave()
  }
  return (
    <Page
      title="Device simulator"
      about="Registers a device as your cloud would and sends telemetry. Every request is real, and shown here."
    >
      {models.isSuccess && models.items.length === 0 ? (
        <Panel>
          <Empty
            icon="device"
            title="Create a model first"
            action={
              <Button component={Link} to={`/partner/${partnerId}/models`}>
                Go to models
              </Button>
            }
          >
            A device registers with its model’s ID and hardware key.
          </Empty>
        </Panel>
      ) : (
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Stack gap="md">
              {device ? (
                <>
                  <SendTelemetry device={device} onExchange={setLast} />
                  <ClaimInLab device={device} />
                  <Identity device={device} onReset={() => changeDevice(null)} />
                </>
              ) : (
                <>
                  <RegisterDevice models={models.items} onExchange={setLast} onRegistered={changeDevice} />
                  <ContinueDevice
                    {...{ memory }}
                    models={models.items}
                    onExchange={setLast}
                    onRegistered={changeDevice}
                  />
                </>
              )}
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stack gap="md">
              {device && <StoredTelemetry deviceId={device.id} />}
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

function Identity({ device, onReset }: { device: SimulatedDevice; onReset: () => void }) {
  return (
    <Panel title="This device">
      <Group gap="lg">
        <Fact label="Serial">
          <Copied value={device.sn} />
        </Fact>
        <Fact label="MAC">
          <Copied value={device.mac} />
        </Fact>
        <Fact label="Device ID">
          <Copied value={device.id} text={`${device.id.slice(0, 8)}…`} />
        </Fact>
      </Group>
      <Button variant="subtle" color="gray" size="compact-sm" mt="sm" onClick={onReset}>
        Use another device
      </Button>
      <Text size="xs" c="dimmed" mt={4}>
        Reloading keeps this device. Its access key is kept in this tab only; later, continue with the device here, and
        it gets a new key.
      </Text>
    </Panel>
  )
}

function StoredTelemetry({ deviceId }: { deviceId: string }) {
  const device = useRead('GET /core/v1/partner/devices/{id}', { id: deviceId }, { every: 1_000 })
  return device.data ? <StoredDevice device={device.data} /> : null
}

function StoredDevice({ device }: { device: FleetDeviceWithState }) {
  const dictionary = useDictionary(device.model_id)
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Text size="sm" fw={600}>
          Stored by the service
        </Text>
        <StatusBadge status={device.status} />
      </Group>
      {dictionary && (
        <DeviceChart device={device} keys={keysOf(dictionary, device)} dictionary={dictionary} range="15m" />
      )}
    </Stack>
  )
}

/** What the dictionary opens the chart with; without one, what a simulated room sends. */
function keysOf(dictionary: Dictionary, { state }: FleetDeviceWithState): string[] {
  return dictionary.size > 0 ? firstChartKeys(dictionary, state) : ['temperature', 'humidity']
}
