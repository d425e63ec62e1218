import { Button } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useRead } from '../api/api.tsx'
import type { FleetDeviceWithState } from '../api/partner.ts'
import { RemoveDevice, ReplaceDevice, ReplaceWindow } from '../parts/device-confirms.tsx'
import { DeviceFacts } from '../parts/device-facts.tsx'
import { DeviceTelemetry } from '../parts/device-telemetry.tsx'
import { Fact } from '../parts/fact.tsx'
import { Page, Shown } from '../parts/page.tsx'
import { StatusBadge } from '../parts/status.tsx'
import { When } from '../parts/when.tsx'
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
