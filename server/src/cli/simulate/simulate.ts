// `npx landbridge simulate`: devices register, are claimed, send their past, and then live until somebody stops them.
import { DeviceModel } from '../../../../client/src/devices.ts'
import { LandbridgeError } from '../../../../client/src/errors.ts'
import type { BelievableDevice } from './believable-devices.ts'
import { Claimer } from './claimer.ts'
import { fillHistory } from './fill-history.ts'
import { Counts, Fleet } from './fleet.ts'
import { inParallel } from './in-parallel.ts'
import { type KindName, kinds } from './kinds.ts'
import { Obedience } from './obedience.ts'
import type { SimulateOptions } from './options.ts'
import { count, duration, Progress, plural, Rate } from './progress.ts'
import { type KeptDevice, RegisteredDevices } from './registered.ts'
import { createSender, massSender } from './senders.ts'
import { SimulatedDevice } from './simulated-device.ts'
import { findTarget, type Target } from './target.ts'

const registrationsAtOnce = 32
/** What is under way when somebody stops it may still end well. */
const graceMilliseconds = 3_000

export async function simulate(options: SimulateOptions): Promise<void> {
  const stopping = new AbortController()
  const ending = new AbortController()
  const stop = () => {
    // The second Ctrl-C is from somebody in a hurry.
    if (stopping.signal.aborted) process.exit(130)
    stopping.abort()
    setTimeout(() => ending.abort(new Error('The simulation has ended.')), graceMilliseconds).unref()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    await new Simulation(options, await findTarget(options, options.kinds), stopping.signal, ending.signal, stop).run()
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

class Simulation {
  readonly #options: SimulateOptions
  readonly #target: Target
  readonly #stopping: AbortSignal
  readonly #ending: AbortSignal
  readonly #stop: () => void
  readonly #progress = new Progress()
  readonly #counts = new Counts()
  readonly #store: RegisteredDevices
  readonly #models: Record<KindName, DeviceModel>
  readonly #claimer: Claimer | null
  #devices: SimulatedDevice[] = []
  #registered = 0
  #history = 0
  #receive: (device: SimulatedDevice) => void = () => {}

  constructor(options: SimulateOptions, target: Target, stopping: AbortSignal, ending: AbortSignal, stop: () => void) {
    this.#options = options
    this.#target = target
    this.#stopping = stopping
    this.#ending = ending
    this.#stop = stop
    this.#store = new RegisteredDevices(target, options.seed, options.dataDir)
    const modelOf = (kind: KindName) => {
      const { id, hardware_key } = target.models[kind] ?? { id: '', hardware_key: '' }
      return new DeviceModel({ entryUrl: target.entryUrl, modelId: id, hardwareKey: hardware_key })
    }
    const models = Object.keys(kinds).map((kind) => [kind, modelOf(kind as KindName)])
    this.#models = Object.fromEntries(models)
    if (options.claim && !target.organization) {
      throw new Error('--claim needs an API key of the customer in LANDBRIDGE_ORGANIZATION_KEY.')
    }
    this.#claimer = options.claim ? new Claimer(target, target.organization!) : null
  }

  async run(): Promise<void> {
    const kept = await this.#store.read()
    const { devices, historyHours, plan } = this.#options
    this.#devices = Array.from({ length: devices }, (_, n) => new SimulatedDevice(this.#options, n, kept.get(n)))
    try {
      await this.#registerAll()
      if (this.#claimer) await this.#claimAll(this.#claimer)
      if (historyHours > 0) await this.#fillHistory(historyHours, plan.outages)
      const began = performance.now()
      if (!this.#stopping.aborted) await this.#live()
      this.#printTotals(performance.now() - began)
    } finally {
      const others = [...kept.values()].filter(({ position }) => position >= devices)
      await this.#store.write([...this.#devices.flatMap(({ kept }) => kept ?? []), ...others])
    }
  }

  async #registerAll(): Promise<void> {
    const missing = this.#devices.filter(({ kept }) => kept === null)
    const rate = new Rate()
    await inParallel(missing, registrationsAtOnce, this.#stopping, async (device) => {
      device.kept = await this.#register(device, device.believable, 0)
      const done = `${count(this.#registered)} of ${plural(missing.length, 'device')}`
      this.#progress.update(`Registering ${done} · ${count(rate.of(this.#registered))}/s`)
    })
    const known = this.#devices.length - missing.length
    const before = known > 0 ? `, ${count(known)} known from an earlier run` : ''
    this.#progress.line(`Registered ${plural(this.#registered, 'device')}${before}.`)
  }

  async #register(device: SimulatedDevice, believable: BelievableDevice, generation: number): Promise<KeptDevice> {
    const { mac, sn, kind, kindName } = believable
    try {
      const identity = { mac, sn, firmware_version: kind.firmware[0] }
      const registered = await this.#models[kindName].register(identity, { signal: this.#ending })
      const { id, access_key, hub_url, mqtt_hub_url } = registered
      this.#registered += 1
      return { position: device.position, generation, firmware: 0, id, access_key, hub_url, mqtt_hub_url }
    } catch (error) {
      if (!(error instanceof LandbridgeError) || error.code !== 'already_registered') throw error
      throw new Error(`${sn} is registered already, and its key is not in ${this.#store.file}: use another --seed.`)
    }
  }

  async #claimAll(claimer: Claimer): Promise<void> {
    await claimer.claim(this.#devices, this.#stopping, (claimed) =>
      this.#progress.update(`Claiming ${count(claimed)} of ${plural(this.#devices.length, 'device')}`),
    )
    if (!this.#stopping.aborted)
      this.#progress.line(`Claimed ${plural(this.#devices.length, 'device')} in their rooms.`)
  }

  async #fillHistory(hours: number, outages: number): Promise<void> {
    const rate = new Rate()
    const began = performance.now()
    const sender = massSender(Object.values(this.#models)[0]!, this.#ending)
    await fillHistory(this.#devices, sender, { hours, outages }, this.#stopping, (stored) => {
      this.#history += stored
      this.#progress.update(`History: ${plural(this.#history, 'message')} · ${count(rate.of(this.#history))}/s`)
    })
    const seconds = (performance.now() - began) / 1000
    const average = `${count(this.#history / seconds)}/s`
    this.#progress.line(`Sent ${plural(this.#history, 'message')} of the last ${plural(hours, 'hour')} (${average}).`)
  }

  async #live(): Promise<void> {
    const { protocol, seconds, plan } = this.#options
    const sender = createSender(protocol, Object.values(this.#models)[0]!, this.#ending)
    const removals = this.#target.partner ? plan.removals : 0
    if (plan.removals > removals) this.#progress.line('No devices are removed without LANDBRIDGE_PARTNER_KEY.')
    const fleet = new Fleet({
      ...{ devices: this.#devices, sender, counts: this.#counts, plan: { ...plan, removals } },
      remove: async ({ kept }) => void (await this.#target.partner!('DELETE', `/devices/${kept!.id}`)),
      replace: (device) => this.#replace(device),
    })
    const obedience = new Obedience({
      way: sender.way,
      onChanged: (device) => fleet.soon(device),
      onExecuted: () => {
        this.#counts.commands += 1
      },
    })
    const receiving = sender.receiving(obedience, this.#devices.length)
    const receive = (device: SimulatedDevice) => {
      obedience.add(device)
      receiving.add(device)
    }
    for (const device of this.#devices) if (device.kept) receive(device)
    this.#receive = receive
    const rate = new Rate()
    const began = performance.now()
    const timer = setInterval(() => this.#report(fleet, rate, performance.now() - began), 500)
    const end = seconds === null ? undefined : setTimeout(this.#stop, seconds * 1000)
    const ended = new Promise<void>((resolve) => this.#ending.addEventListener('abort', () => resolve()))
    await Promise.race([fleet.run(this.#stopping), ended])
    clearInterval(timer)
    clearTimeout(end)
    await obedience.stop()
    await sender.close()
  }

  async #replace(device: SimulatedDevice): Promise<void> {
    const believable = device.replace()
    device.kept = await this.#register(device, believable, device.kept!.generation + 1)
    device.believable = believable
    this.#receive(device)
    await this.#claimer?.claim([device], this.#stopping, () => {})
  }

  #report(fleet: Fleet, rate: Rate, milliseconds: number): void {
    const { stored, failed, updates, removed, commands, lastError } = this.#counts
    const { away } = fleet
    const parts = [
      duration(milliseconds),
      `${count(this.#devices.length - away)} sending, ${count(away)} away`,
      `${plural(stored, 'message')} · ${count(rate.of(stored))}/s`,
      plural(updates, 'update'),
      `${count(removed)} removed`,
      ...(commands > 0 ? [plural(commands, 'command')] : []),
      ...(failed > 0 ? [`${count(failed)} failed (${lastError})`] : []),
    ]
    this.#progress.update(parts.join(' · '))
  }

  #printTotals(milliseconds: number): void {
    const { protocol, json } = this.#options
    const { stored, failed, outages, updates, removed, commands, lastError } = this.#counts
    const seconds = milliseconds / 1000
    const totals = {
      ...{ protocol, devices: this.#devices.length, registered: this.#registered, history: this.#history },
      ...{
        seconds: Math.round(seconds * 10) / 10,
        messages: stored,
        messages_per_second: Math.round(stored / seconds),
      },
      ...{ failed, outages, updates, removed, commands, last_error: lastError },
    }
    if (json) {
      console.log(JSON.stringify(totals, null, 2))
      return
    }
    const events = `${plural(outages, 'outage')}, ${plural(updates, 'firmware update')}, ${count(removed)} removed and replaced, ${plural(commands, 'command')} executed`
    console.log(
      [
        `${plural(stored, 'message')} of ${plural(totals.devices, 'device')} over ${protocol} in ${duration(milliseconds)} (${count(totals.messages_per_second)}/s).`,
        `${events}.`,
        ...(failed > 0 ? [`${plural(failed, 'message')} failed, the last one with: ${lastError}`] : []),
      ].join('\n'),
    )
  }
}
