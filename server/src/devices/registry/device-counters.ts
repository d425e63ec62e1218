import type { Registry } from 'prom-client'
import { Counter } from '../../platform/measurements.ts'

const outcomes = ['registered', 'limited', 'refused'] as const

/** Devices that came and went on this process since it started. */
export class DeviceCounters {
  readonly #registrations: Counter<(typeof outcomes)[number]>
  readonly #deleted: Counter

  constructor(registry: Registry) {
    const registrations = 'Registrations of devices: stored, refused by the limit of their hardware key, or refused.'
    this.#registrations = new Counter(registry, 'landbridge_registrations_total', registrations, ['outcome'])
    for (const outcome of outcomes) this.#registrations.start(outcome)
    const deleted = 'Devices that were deleted because they were removed long ago.'
    this.#deleted = new Counter(registry, 'landbridge_devices_deleted_total', deleted, [])
    this.#deleted.start('')
  }

  countRegistration(outcome: (typeof outcomes)[number]): void {
    this.#registrations.increment(outcome)
  }

  countDeleted(devices: number): void {
    this.#deleted.increment('', undefined, devices)
  }
}
