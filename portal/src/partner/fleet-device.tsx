import { Button } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useRead } from '../api/api.tsx'
import type { FleetDeviceWithState } from '../api/partner.ts'
import { RemoveDevice, ReplaceDevice, ReplaceWindow } from '../components/device-confirms.tsx'
import { DeviceFacts } from '../components/device-facts.tsx'
import { DeviceTelemetry } from '../components/device-telemetry.tsx'
import { Fact } from '../components/fact.tsx'
import { Page, Shown } from '../components/page.tsx'
import { StatusBadge } from '../components/status.tsx'
import { When } from '../components/when.tsx'
import { ClaimedBadge } from './claimed-badge.tsx'

export function FleetDevice() {
  const { partnerId, deviceId = '' } = useParams()
  const list = `/partner/${partnerId}/devices`
  const [act, setAct] = useState<'replace' | 'remove' | null>(null)
  const onClose = () => setAct(null)
  const read = useRead<FleetDeviceWithState>(`/devices/${deviceId}`, {}, { every: 2_000 })
  return (
    <Shown of={read}>
      {(device) => (
        <Page
          title={device.sn}
          badges={
            <>
              <StatusBadge status={device.status} />
              <ClaimedBadge claimed={device.claimed} />
            </>
          }
          above={[{ label: 'Fleet', to: list }]}
          actions={
            <>
              <Button variant="default" onClick={() => setAct('replace')}>
                Replace the hardware
              </Button>
              <Button variant="light" color="red" onClick={() => setAct('remove')}>
                Remove
              </Button>
            </>
          }
        >
          <ReplaceWindow until={device.replace_until} />
          <DeviceFacts device={device}>
            <Fact label="Registered">
              <When at={device.registered_at} />
            </Fact>
          </DeviceFacts>
          <DeviceTelemetry device={device} />
          {act === 'replace' && <ReplaceDevice device={device} name={device.sn} onClose={onClose} />}
          {act === 'remove' && (
            <RemoveDevice
              device={device}
              name={device.sn}
              loss={device.claimed ? 'The customer who claimed it loses it.' : ''}
              list={list}
              onClose={onClose}
            />
          )}
        </Page>
      )}
    </Shown>
  )
}
