import { deviceAt } from '../../server/src/cli/simulate/believable-devices.ts'

export const onlyThermostats = { kinds: ['thermostat'] } as const

/** Who the device at this position of the fleet is; all serial numbers are equally long. */
export function identityOf(position: number): { mac: string; sn: string } {
  return deviceAt('bench', position, onlyThermostats)
}
