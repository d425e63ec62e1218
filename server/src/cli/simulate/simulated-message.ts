import type { DeviceCredentials, Message } from '../../../../client/src/devices.ts'
import type { RegisteredDevice } from '../../../../client/src/generated-types.ts'

export interface SimulatedMessage extends Message {
  device: DeviceCredentials & Pick<RegisteredDevice, 'mqtt_hub_url'>
}
