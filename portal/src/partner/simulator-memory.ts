import type { SimulatedDevice } from './simulated-device.ts'

/** Without its access key, which is a secret: the tab that registered the device has it, and nothing else. */
export type RememberedDevice = Pick<SimulatedDevice, 'id' | 'mac' | 'sn' | 'model_id'>

/** In this browser, the newest device of each model; in this tab, the device that it simulates, with its key. */
export interface SimulatorMemory {
  current(): SimulatedDevice | null
  remembered(): RememberedDevice[]
  keep(device: SimulatedDevice): void
  leave(): void
  forget(id: string): void
}

const maxRemembered = 50

export function simulatorMemory(partnerId: string, tab: Storage, browser: Storage): SimulatorMemory {
  const name = `landbridge.simulator.${partnerId}`
  const remembered = () => (read(browser, name) ?? []) as RememberedDevice[]
  const remember = (devices: RememberedDevice[]) =>
    browser.setItem(name, JSON.stringify(devices.slice(0, maxRemembered)))
  return {
    current: () => read(tab, name) as SimulatedDevice | null,
    remembered,
    keep(device) {
      tab.setItem(name, JSON.stringify(device))
      const { id, mac, sn, model_id } = device
      remember([{ id, mac, sn, model_id }, ...remembered().filter((other) => other.model_id !== model_id)])
    },
    leave: () => tab.removeItem(name),
    forget: (id) => remember(remembered().filter((other) => other.id !== id)),
  }
}

function read(storage: Storage, name: string): unknown {
  return JSON.parse(storage.getItem(name) ?? 'null')
}
