import { Badge, Button, Group, NumberInput, Slider, Stack, Switch, Text } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import type { Exchange } from '../components/exchange.tsx'
import { Icon } from '../components/icon.tsx'
import { Panel } from '../components/page.tsx'
import { type SimulatedDevice, SimulatedRoom, sendTelemetry } from './simulated-device.ts'

interface SendProps {
  device: SimulatedDevice
  onExchange: (exchange: Exchange) => void
}

export function Send({ device, onExchange }: SendProps) {
  const [room] = useState(() => new SimulatedRoom())
  const [running, setRunning] = useState(false)
  const [every, setEvery] = useState<number | string>(2)
  const [warmth, setWarmth] = useState(room.warmth)
  const [failing, setFailing] = useState(room.failing)
  const [sent, setSent] = useState(0)
  const send = useMemo(
    () => async () => {
      const answer = await sendTelemetry(device, room.message()).catch(() => null)
      if (!answer) return
      onExchange(answer)
      if (answer.status === 200) setSent((count) => count + 1)
      // Removed, or its key was replaced: going on would only be noise.
      else if (answer.status === 401 || answer.status === 410) setRunning(false)
    },
    [device, room, onExchange],
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
      actions={<Badge color={running ? 'green' : 'gray'}>{running ? `Sending, ${sent} sent` : 'Standing still'}</Badge>}
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
          <Text size="sm" fw={500}>
            Temperature around {warmth} °C
          </Text>
          <Slider
            value={warmth}
            onChange={(value) => {
              room.warmth = value
              setWarmth(value)
            }}
            min={-10}
            max={40}
            thumbLabel="Temperature"
            label={(value) => `${value} °C`}
          />
        </div>
        <Switch
          label="Report an error status"
          checked={failing}
          onChange={(event) => {
            room.failing = event.currentTarget.checked
            setFailing(room.failing)
          }}
        />
      </Stack>
    </Panel>
  )
}
