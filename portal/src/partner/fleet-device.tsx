import { Button } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useRead } from '../api/api.tsx'
import { DeviceFacts, RemoveDevice, ReplaceDevice, ReplaceWindow } from '../components/device/device.tsx'
import { DeviceTelemetry } from '../components/device/device-telemetry.tsx'
import { StatusBadge } from '../components/device/status.tsx'
import { Fact, Loaded, Page } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { listAddress } from '../components/table/place.ts'
import { ClaimedBadge } from './fleet.tsx'

export function FleetDevice() {
  const { partnerId, deviceId = '' } = useParams()
  const list = `/partner/${partnerId}/devices`
  const [dialog, setDialog] = useState<'replace' | 'remove' | null>(null)
  const onClose = () => setDialog(null)
  const read = useRead('GET /core/v1/partner/devices/{id}', { id: deviceId }, { every: 2_000 })
  return (
    <Loaded of={read}>
      {(device) => (
        <Page
          title={device.sn}
          wide
          badges={
            <>
              <StatusBadge status={device.status} />
              <ClaimedBadge claimed={device.claimed} />
            </>
          }
          above={[{ label: 'Fleet', to: listAddress(list) }]}
          actions={
            <>
              <Button variant="default" onClick={() => setDialog('replace')}>
                Replace hardware
              </Button>
              <Button variant="light" color="red" onClick={() => setDialog('remove')}>
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
          {dialog === 'replace' && <ReplaceDevice device={device} name={device.sn} onClose={onClose} />}
          {dialog === 'remove' && (
            <RemoveDevice
              device={device}
              name={device.sn}
              loss={device.claimed ? 'The customer who claimed it loses access.' : ''}
              list={list}
              onClose={onClose}
            />
          )}
        </Page>
      )}
    </Loaded>
  )
}
