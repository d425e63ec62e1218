import { Alert, Anchor, Badge, Button, Group, NumberInput, Slider, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { useApi, useRead } from '../api/api.tsx'
import { callsOf, customerApi } from '../api/calls.ts'
import { ApiError, sentenceOf } from '../api/http.ts'
import type { Model } from '../api/partner.ts'
import { useDictionary } from '../components/device/dictionary.ts'
import { ModelPicker } from '../components/device/model-picker.tsx'
import { Form } from '../components/form/form.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Loading, Panel } from '../components/page/page.tsx'
import type { Exchange } from './exchange.tsx'
import {
  randomMac,
  randomSerial,
  registerDevice,
  type SimulatedDevice,
  SimulatedRoom,
  sendTelemetry,
} from './simulated-device.ts'
import { SimulatedModel } from './simulated-model.ts'
import { SimulatedValues } from './simulated-values.tsx'
import type { RememberedDevice, SimulatorMemory } from './simulator-memory.ts'

interface RegisterProps {
  models: Model[]
  onExchange: (exchange: Exchange) => void
  onRegistered: (device: SimulatedDevice) => void
}

export function RegisterDevice({ models, onExchange, onRegistered }: RegisterProps) {
  const api = useApi()
  const [initialValues] = useState(() => ({
    device_model: null as string | null,
    mac: randomMac(),
    sn: randomSerial(),
  }))
  const form = useForm({ initialValues })
  const { device_model, mac, sn } = form.values
  const model_id = device_model ?? models[0]?.id ?? null
  const register = useMutation<void, ApiError>({
    mutationFn: async () => {
      const device = { mac, sn, model_id: model_id! }
      const exchange = await registerDevice(api, device)
      onExchange(exchange)
      const body = JSON.parse(exchange.responseBody)
      if (exchange.status !== 201) throw new ApiError(exchange.status, body, null)
      onRegistered({ ...body, ...device })
    },
  })
  return (
    <Panel title="1. Register">
      <Form form={form} verb="Register simulated device" change={register} ready={model_id !== null}>
        <ModelPicker label="Model" {...form.getInputProps('device_model')} value={model_id} allowDeselect={false} />
        <TextInput label="MAC" {...form.getInputProps('mac')} ff="monospace" />
        <TextInput label="Serial number" {...form.getInputProps('sn')} ff="monospace" />
      </Form>
    </Panel>
  )
}

interface ContinueProps extends RegisterProps {
  memory: SimulatorMemory
}

/**
 * A device of an earlier visit. Its key went with that tab, so it registers again as replaced hardware does: it keeps its id
 * and history, and whatever still sends with the old key is refused.
 */
export function ContinueDevice({ memory, models, onExchange, onRegistered }: ContinueProps) {
  const api = useApi()
  const [devices, setDevices] = useState(memory.remembered)
  const resume = useMutation<void, ApiError, RememberedDevice>({
    mutationFn: async (device) => {
      await api.send('POST /core/v1/partner/devices/{id}/replace', { id: device.id })
      const exchange = await registerDevice(api, device)
      onExchange(exchange)
      const body = JSON.parse(exchange.responseBody)
      if (exchange.status !== 201) throw new ApiError(exchange.status, body, null)
      onRegistered({ ...body, ...device })
    },
    onError: (error, { id }) => {
      if (error.status !== 404) return
      memory.forget(id)
      setDevices(memory.remembered())
    },
  })
  const nameOf = (id: string) => models.find((model) => model.id === id)?.name
  if (devices.length === 0 && !resume.error) return null
  return (
    <Panel title="Or continue with a device">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          Devices that this browser simulated before. The device gets a new access key and keeps its ID and history.
        </Text>
        {devices.map((device) => (
          <Group key={device.id} justify="space-between" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Text size="sm" ff="monospace">
                {device.sn}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {nameOf(device.model_id)}
              </Text>
            </div>
            <Button
              variant="default"
              size="xs"
              loading={resume.isPending && resume.variables.id === device.id}
              disabled={resume.isPending}
              aria-label={`Continue with ${device.sn}`}
              onClick={() => resume.mutate(device)}
            >
              Continue
            </Button>
          </Group>
        ))}
        {resume.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {resume.error.status === 404
              ? `${resume.variables?.sn} was removed. Register a new device.`
              : sentenceOf(resume.error)}
          </Text>
        )}
      </Stack>
    </Panel>
  )
}

interface SendProps {
  device: SimulatedDevice
  onExchange: (exchange: Exchange) => void
}

/** With a dictionary the device has its data points, otherwise those of a room. */
export function SendTelemetry({ device, onExchange }: SendProps) {
  const dictionary = useDictionary(device.model_id)
  const simulated = useMemo(
    () => dictionary && (dictionary.size > 0 ? new SimulatedModel([...dictionary.values()]) : new SimulatedRoom()),
    [dictionary],
  )
  if (!simulated) return <Loading />
  return <SendMessages key={device.id} device={device} simulated={simulated} onExchange={onExchange} />
}

function SendMessages({ device, simulated, onExchange }: SendProps & { simulated: SimulatedModel | SimulatedRoom }) {
  const [running, setRunning] = useState(false)
  const [every, setEvery] = useState<number | string>(2)
  const [failing, setFailing] = useState(simulated.failing)
  const [sent, setSent] = useState(0)
  const send = useMemo(
    () => async () => {
      const exchange = await sendTelemetry(device, simulated.message()).catch(() => null)
      if (!exchange) return
      onExchange(exchange)
      if (exchange.status === 200) setSent((count) => count + 1)
      // The device was removed, or its key replaced.
      else if (exchange.status === 401 || exchange.status === 410) setRunning(false)
    },
    [device, simulated, onExchange],
  )
  useEffect(() => {
    if (!running) return
    void send()
    const timer = window.setInterval(() => void send(), Math.max(1, Number(every) || 2) * 1000)
    return () => window.clearInterval(timer)
  }, [running, every, send])
  return (
    <Panel
      title="2. Send telemetry"
      actions={<Badge color={running ? 'green' : 'gray'}>{running ? `Sending, ${sent} sent` : 'Stopped'}</Badge>}
    >
      <Stack gap="sm">
        <Group gap="xs">
          <Button
            onClick={() => setRunning(!running)}
            leftSection={<Icon name={running ? 'stop' : 'play'} size={14} />}
          >
            {running ? 'Stop' : 'Start sending'}
          </Button>
          <Button variant="default" onClick={() => void send()}>
            Send once
          </Button>
        </Group>
        <NumberInput label="Interval" suffix=" s" min={1} max={60} value={every} onChange={setEvery} maw={120} />
        {simulated instanceof SimulatedModel ? (
          <SimulatedValues model={simulated} />
        ) : (
          <RoomTemperature room={simulated} />
        )}
        <Switch
          label="Report an error status"
          checked={failing}
          onChange={(event) => {
            simulated.failing = event.currentTarget.checked
            setFailing(simulated.failing)
          }}
        />
      </Stack>
    </Panel>
  )
}

function RoomTemperature({ room }: { room: SimulatedRoom }) {
  const [temperature, setTemperature] = useState(room.temperature)
  return (
    <div>
      <Text size="sm" fw={500}>
        Temperature: about {temperature} °C
      </Text>
      <Slider
        value={temperature}
        onChange={(value) => {
          room.temperature = value
          setTemperature(value)
        }}
        min={-10}
        max={40}
        thumbLabel="Temperature"
        label={(value) => `${value} °C`}
      />
    </div>
  )
}

/** What the customer would do, in the test tenant. */
export function ClaimInLab({ device: { id, mac, sn, model_id } }: { device: SimulatedDevice }) {
  const lab = useRead('GET /core/v1/partner/info').data?.lab_customer_id
  const claim = useMutation<unknown, ApiError>({
    mutationFn: () => {
      const claimed = { mac, sn, model_id, name: `Simulated ${sn}` }
      return callsOf(customerApi(lab!)).send('POST /core/v1/organization/devices/claim', { body: claimed })
    },
  })
  const device = useRead('GET /core/v1/partner/devices/{id}', { id }).data
  if (!lab || !device) return null
  return (
    <Panel title="3. Claim it in the test tenant">
      {claim.isSuccess || device.claimed ? (
        <Alert color="green" p="xs" icon={<Icon name="check" />}>
          Claimed.{' '}
          <Anchor component={Link} to={`/customer/${lab}/devices/${id}`} size="sm">
            Open in the customer portal
          </Anchor>
        </Alert>
      ) : (
        <Form verb="Claim in test tenant" change={claim}>
          <Text size="sm">With its MAC, serial number and model, as a customer would.</Text>
        </Form>
      )}
    </Panel>
  )
}
