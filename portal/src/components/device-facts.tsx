import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copied } from './copy.tsx'
import { Fact } from './fact.tsx'
import { When } from './when.tsx'

interface KnownDevice {
  id: string
  mac: string
  firmware_version: string
  last_seen_at: string | null
}

/** What everyone may know about a device; between it stands what only this reader does. */
export function DeviceFacts({ device, children }: { device: KnownDevice; children: ReactNode }) {
  return (
    <Group gap="xl" align="flex-start" className="facts">
      <Fact label="Last seen">
        <When at={device.last_seen_at} />
      </Fact>
      {children}
      <Fact label="Firmware">{device.firmware_version}</Fact>
      <Fact label="MAC">
        <Copied value={device.mac} label="Copy MAC" />
      </Fact>
      <Fact label="Device id">
        <Copied value={device.id} shown={`${device.id.slice(0, 8)}…`} label="Copy device id" />
      </Fact>
    </Group>
  )
}
