import { setTimeout as wait } from 'node:timers/promises'
import { usualBackoff } from '../../../../client/src/backoff.ts'
import { CommandRunner } from '../../../../client/src/command-runner.ts'
import { memoryCommandStore } from '../../../../client/src/command-store.ts'
import type {
  CommandReport,
  HandedOutCommand,
  RefusedSetting,
  SettingsDocument,
  SettingsReport,
  Value,
} from '../../../../client/src/command-types.ts'
import type { SimulatedDevice } from './simulated-device.ts'

/** How what is reported reaches the service. */
export interface ReportWay {
  report(device: SimulatedDevice, report: CommandReport): Promise<void>
  reportSettings(device: SimulatedDevice, report: SettingsReport): Promise<void>
}

export interface ObedienceOptions {
  way: ReportWay
  /** Something of the device changed: it sends soon. */
  onChanged(device: SimulatedDevice): void
  onExecuted(): void
  /** How long a reboot and a self-test take. */
  seconds?: number
}

/** Longer than the command waits for a report. */
const silenceMilliseconds = 30_000

/** What simulated devices do when they are told to. */
export class Obedience {
  readonly #options: ObedienceOptions
  readonly #runner: CommandRunner
  readonly #devices = new Map<string, SimulatedDevice>()

  constructor(options: ObedienceOptions) {
    this.#options = options
    const { way } = options
    this.#runner = new CommandRunner({
      store: memoryCommandStore(),
      backoff: usualBackoff,
      report: (id, report) => way.report(this.#devices.get(id)!, report),
    })
    this.#register()
  }

  add(device: SimulatedDevice): void {
    this.#devices.set(device.kept!.id, device)
  }

  #register(): void {
    const { onChanged, onExecuted, seconds = 15 } = this.#options
    const on = (name: string, act: (device: SimulatedDevice, parameters: Record<string, Value>) => Promise<unknown>) =>
      this.#runner.on(name, async (parameters, { deviceId }) => {
        const device = this.#devices.get(deviceId)!
        try {
          return await act(device, parameters)
        } finally {
          onExecuted()
          onChanged(device)
        }
      })
    on('reboot', async (device) => {
      device.isRebooting = true
      onChanged(device)
      await wait(seconds * 1000)
      device.isRebooting = false
      return { firmware_version: device.firmware }
    })
    this.#runner.on('self_test', async (_, { progress }) => {
      for (let step = 1; step <= 4; step += 1) {
        await wait((seconds * 1000) / 3)
        await progress(`${step * 25} %`)
      }
      onExecuted()
      return { passed: true, voltage: 230 }
    })
    on('calibrate', async (_, { reference }) => {
      throw new Error(`The sensor does not reach ${reference}.`)
    })
    on('set_pin', async () => {})
    on('set_point', async (device, { celsius }) => {
      device.settings.setpoint = celsius!
      return { setpoint: celsius }
    })
  }

  /** True once it is over. */
  async command(command: HandedOutCommand, leftMs: number | null): Promise<boolean> {
    const device = this.#devices.get(command.device_id)
    const began = performance.now()
    // Without power or network it would not have received it.
    while (device?.isAway) await wait(1_000, undefined, { ref: false })
    const left = leftMs === null ? null : leftMs - (performance.now() - began)
    if (command.name !== 'sleep') return await this.#runner.handle(command, left)
    await wait(silenceMilliseconds, undefined, { ref: false })
    return false
  }

  /** The whole of them; a set point that is not wanted any more is as it would be without. */
  async apply(device: SimulatedDevice, { version, config }: SettingsDocument): Promise<void> {
    if (device.settingsVersion === version) return
    const details: RefusedSetting[] = []
    for (const [key, value] of Object.entries(config)) {
      if (key === 'brightness' && Number(value) > 80) details.push({ key, message: 'This panel goes up to 80.' })
      else device.settings[key] = value
    }
    for (const key of Object.keys(device.settings)) if (!(key in config)) delete device.settings[key]
    const result = details.length > 0 ? { result: 'rejected' as const, details } : { result: 'applied' as const }
    device.settingsVersion = version
    this.#options.onChanged(device)
    await this.#options.way.reportSettings(device, { version, ...result }).catch(() => {
      // Its next message tells of the version again.
      device.settingsVersion = null
    })
  }

  async stop(): Promise<void> {
    await this.#runner.stop(1_000)
  }
}
