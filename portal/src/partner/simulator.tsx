import {
  Alert,
  Anchor,
  Badge,
  Button,
  Grid,
  Group,
  NumberInput,
  Select,
  Slider,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link, useParams } from 'react-router'
import { callsOf, customerApi, tellRefusal, useApi, usePages, useRead } from '../api/api.tsx'
import type { FleetDeviceWithState, HardwareKey, Model, PartnerInfo } from '../api/partner.ts'
import { Copied } from '../parts/copy.tsx'
import { DeviceChart } from '../parts/device-chart.tsx'
import { type Exchange, ExchangeView, exchange } from '../parts/exchange.tsx'
import { Fact } from '../parts/fact.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Page, Panel } from '../parts/page.tsx'
import { StatusBadge } from '../parts/status.tsx'

interface SimulatedDevice {
  id: string
  access_key: string
  hub_url: string
  mac: string
  sn: string
  model_id: string
}

const memory = 'landbridge.simulator'
const json = { 'content-type': 'application/json' }

/** A device without hardware: it registers, sends, and what it sends is drawn below as the service stored it. */
export function Simulator() {
  const { partnerId } = useParams()
  const models = usePages<Model>('/models')
  const [device, setDevice] = useState<SimulatedDevice | null>(remembered)
  const [last, setLast] = useState<Exchange | null>(null)
  const keep = (made: SimulatedDevice | null) => {
    setDevice(made)
    if (made) sessionStorage.setItem(memory, JSON.stringify(made))
    else sessionStorage.removeItem(memory)
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
                <Running device={device} onExchange={setLast} onForget={() => keep(null)} />
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

function remembered(): SimulatedDevice | null {
  const text = sessionStorage.getItem(memory)
  return text ? (JSON.parse(text) as SimulatedDevice) : null
}

interface RegisterProps {
  models: Model[]
  onExchange: (exchange: Exchange) => void
  onRegistered: (device: SimulatedDevice) => void
}

function Register({ models, onExchange, onRegistered }: RegisterProps) {
  const api = useApi()
  const [modelId, setModelId] = useState<string | null>(null)
  const [mac, setMac] = useState(randomMac)
  const [sn, setSn] = useState(
    () =>
      `SIM-${Math.floor(Math.random() * 1e6)
        .toString()
        .padStart(6, '0')}`,
  )
  const [busy, setBusy] = useState(false)
  const model = modelId ?? models[0]?.id ?? null
  const register = async () => {
    setBusy(true)
    try {
      const { items } = await api.get<{ items: HardwareKey[] }>(`/models/${model}/hardware-keys`)
      const key = items.find(({ revoked_at }) => !revoked_at)?.hardware_key
      if (!key) throw new Error('This model has no active hardware key: add one on its Hardware Keys tab.')
      const body = JSON.stringify(
        { device_model: model, hardware_key: key, mac, sn, firmware_version: '1.0.0' },
        null,
        2,
      )
      const made = await exchange({
        method: 'POST',
        url: '/v1/devices',
        headers: json,
        body,
        hide: { [key]: `${key.slice(0, 10)}…` },
      })
      onExchange(made)
      if (made.status === 201) onRegistered({ ...JSON.parse(made.answer), mac, sn, model_id: model! })
      else tellRefusal(new Error(JSON.parse(made.answer).error))
    } catch (error) {
      tellRefusal(error as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Panel title="1. Register">
      <Stack gap="sm">
        <Select
          label="Model"
          data={models.map(({ id, name }) => ({ value: id, label: name }))}
          value={model}
          onChange={setModelId}
          allowDeselect={false}
        />
        <TextInput label="MAC" value={mac} onChange={(event) => setMac(event.currentTarget.value)} ff="monospace" />
        <TextInput
          label="Serial number"
          value={sn}
          onChange={(event) => setSn(event.currentTarget.value)}
          ff="monospace"
        />
        <Button onClick={() => void register()} loading={busy} disabled={!model}>
          Register a simulated device
        </Button>
      </Stack>
    </Panel>
  )
}

interface RunningProps {
  device: SimulatedDevice
  onExchange: (exchange: Exchange) => void
  onForget: () => void
}

function Running({ device, onExchange, onForget }: RunningProps) {
  const [running, setRunning] = useState(false)
  const [every, setEvery] = useState<number | string>(2)
  const [warmth, setWarmth] = useState(21)
  const [failing, setFailing] = useState(false)
  const [sent, setSent] = useState(0)
  const state = useRef({ warmth, failing, walk: 0 })
  state.current.warmth = warmth
  state.current.failing = failing

  const send = useMemo(
    () => async () => {
      const now = state.current
      now.walk = Math.max(-1.5, Math.min(1.5, now.walk + (Math.random() - 0.5) * 0.6))
      const body = JSON.stringify(
        {
          status: now.failing ? 'error' : 'online',
          telemetries: {
            temperature: Number((now.warmth + now.walk).toFixed(2)),
            humidity: Number((45 + now.walk * 4).toFixed(1)),
            power: Math.round(120 + now.walk * 30),
            occupied: now.walk > 0,
          },
        },
        null,
        2,
      )
      const answer = await exchange({
        method: 'POST',
        url: `/v1/devices/${device.id}/telemetry`,
        headers: { ...json, authorization: device.access_key },
        body,
        hide: { [device.access_key]: `${device.access_key.slice(0, 10)}…` },
      }).catch(() => null)
      if (!answer) return
      onExchange(answer)
      if (answer.status === 200) setSent((count) => count + 1)
      // Removed, or its key was replaced: going on would only be noise.
      else if (answer.status === 401 || answer.status === 410) setRunning(false)
    },
    [device, onExchange],
  )
  useEffect(() => {
    if (!running) return
    void send()
    const timer = window.setInterval(() => void send(), Math.max(1, Number(every) || 2) * 1000)
    return () => window.clearInterval(timer)
  }, [running, every, send])

  return (
    <>
      <Panel
        title="2. Send telemetry"
        actions={
          <Badge color={running ? 'green' : 'gray'}>{running ? `Sending, ${sent} sent` : 'Standing still'}</Badge>
        }
      >
        <Stack gap="sm">
          <Group gap="xs">
            <Button
              onClick={() => setRunning(!running)}
              leftSection={<Icon name={running ? 'cross' : 'play'} size={14} />}
            >
              {running ? 'Stop' : 'Start sending'}
            </Button>
            <Button variant="default" onClick={() => void send()}>
              Send once
            </Button>
          </Group>
          <NumberInput label="Every" suffix=" s" min={1} max={60} value={every} onChange={setEvery} maw={120} />
          <div>
            <Text size="sm" fw={500} id="warmth">
              Temperature around {warmth} °C
            </Text>
            <Slider
              value={warmth}
              onChange={setWarmth}
              min={-10}
              max={40}
              thumbLabel="Temperature"
              label={(value) => `${value} °C`}
            />
          </div>
          <Switch
            label="Report an error status"
            checked={failing}
            onChange={(event) => setFailing(event.currentTarget.checked)}
          />
        </Stack>
      </Panel>
      <ClaimInLab device={device} />
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
    </>
  )
}

/** The customer's side of it, in the tenant that is there for trying. */
function ClaimInLab({ device }: { device: SimulatedDevice }) {
  const info = useRead<PartnerInfo>('/info')
  const [claimed, setClaimed] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const lab = info.data?.lab_customer_id
  if (!lab) return null
  const claim = async () => {
    setRefusal(null)
    const { mac, sn, model_id } = device
    await callsOf(customerApi(lab))
      .post('/devices/claim', { mac, sn, model_id, name: `Simulated ${sn}` })
      .then(() => setClaimed(true))
      .catch((error: Error) => setRefusal(error.message))
  }
  return (
    <Panel title="3. Claim it in the lab">
      {claimed ? (
        <Alert color="green" p="xs" icon={<Icon name="check" />}>
          Claimed.{' '}
          <Anchor component={Link} to={`/customer/${lab}/devices/${device.id}`} size="sm">
            Open it as the customer sees it
          </Anchor>
        </Alert>
      ) : (
        <Stack gap="xs">
          <Text size="sm">As a customer would, by MAC, serial number and model.</Text>
          <Group>
            <Button variant="default" onClick={() => void claim()}>
              Claim for the lab tenant
            </Button>
          </Group>
          {refusal && (
            <Text size="sm" c="red" role="alert">
              {refusal}
            </Text>
          )}
        </Stack>
      )}
    </Panel>
  )
}

function Drawn({ deviceId }: { deviceId: string }) {
  const device = useRead<FleetDeviceWithState>(`/devices/${deviceId}`, {}, { every: 1_000 })
  const keys = useMemo(() => ['temperature', 'humidity'], [])
  if (!device.data) return null
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Text size="sm" fw={600}>
          As the service has it
        </Text>
        <StatusBadge status={device.data.status} />
      </Group>
      <DeviceChart deviceId={deviceId} keys={keys} arrived={device.data.last_seen_at} range="15m" />
    </Stack>
  )
}

/** Locally administered, so that it is nobody's real address. */
function randomMac(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  bytes[0] = (bytes[0]! & 0xfc) | 0x02
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':')
}
