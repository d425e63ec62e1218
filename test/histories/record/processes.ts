// The service's processes on one Postgres, each between two proxies of ours: one towards its callers, which keeps its ports
// when the process is restarted, and one towards Postgres.
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type RunningService, startFlags, startService } from '../../../bench/environment.ts'
import { withoutTls } from '../../support/beside-tls.ts'
import { freePort } from '../../support/free-port.ts'
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts'
import { origin } from './http.ts'
import type { Postgres } from './postgres.ts'

export interface Process {
  /** Towards callers. */
  http: FaultyProxy
  mqtt: FaultyProxy
  /** Towards Postgres; null where the process has its own. */
  postgres: FaultyProxy | null
  service: RunningService
  /** The hub cell that it belongs to; null without cells. */
  cell: string | null
  /** Killed, and not ready again: a balancer would send nobody there. */
  isDown: boolean
  restart(): Promise<void>
}

const clock = fileURLToPath(new URL('../../support/shifted-clock.ts', import.meta.url))

/** Seconds by which a clock jumps, each followed by the right time; beyond five the process must refuse to serve. */
const jumps = [2, -3, 4, -4, 30, -30, 90, -90, 3_600, -3_600]

const environment = {
  LANDBRIDGE_PUBLIC_URL: origin,
  LANDBRIDGE_TRUST_PROXY: '127.0.0.1',
  LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.0/8',
  LANDBRIDGE_LOG_LEVEL: 'silent',
  LANDBRIDGE_LAB: 'false',
  // Every history about a grant has its own application, and one about an Idempotency-Key creates a model.
  LANDBRIDGE_QUOTAS: 'applications=1000000,models=1000000',
  NODE_OPTIONS: `--import=${clock}`,
  CLOCK_SHIFTS: Array.from({ length: 20 }, (_, turn) => `0,${jumps[turn % jumps.length]}`).join(),
}

/** Those that serve, or all where none does. */
export function upOf(processes: Process[]): Process[] {
  const up = processes.filter(({ isDown }) => !isDown)
  return up.length > 0 ? up : processes
}

/** Those of the hub cell that has this address. */
export function ofCell(processes: Process[], address: string): Process[] {
  return upOf(processes.filter(({ cell }) => cell !== null && address.includes(hostOf(cell))))
}

/** As a balancer's in front of all processes of a cell. */
const hostOf = (cell: string) => `${cell}.hubs.example`

const ofHub = (cell: string) => ({
  LANDBRIDGE_CELL: cell,
  LANDBRIDGE_HUB_URL: `https://${hostOf(cell)}`,
  LANDBRIDGE_MQTT_URL: `mqtts://${hostOf(cell)}:8883`,
  LANDBRIDGE_STATIC_CERT_URL: `https://${hostOf(cell)}:8443`,
})

export async function startProcess({ at }: Postgres, cell: string | null): Promise<Process> {
  const postgres = 'url' in at ? await startFaultyProxy(Number(new URL(at.url).port), 'postgres') : null
  const databaseUrl = 'url' in at ? withoutTls(at.url, postgres!.port) : ''
  const data = 'folder' in at ? { LANDBRIDGE_DATA_DIR: at.folder } : {}
  const http = await startFaultyProxy(null, 'http')
  const mqtt = await startFaultyProxy(null, 'http')

  /** At other ports each time: somebody else may have taken those of one that was killed. */
  async function start(): Promise<RunningService> {
    http.target = null
    mqtt.target = null
    const [web, devices, pinned] = [await freePort(), await freePort(), await freePort()]
    const ports = {
      PORT: String(web),
      LANDBRIDGE_MQTTS_PORT: String(devices),
      LANDBRIDGE_STATIC_CERT_PORT: String(pinned),
    }
    const hub = cell === null ? {} : ofHub(cell)
    const service = await startService(databaseUrl, startFlags, { ...environment, ...ports, ...data, ...hub })
    http.target = web
    mqtt.target = devices
    return service
  }

  /** Postgres may be away at this very moment, or somebody else has taken a port: then a process does not start. */
  async function startAtLast(): Promise<RunningService> {
    for (let attempt = 1; ; attempt += 1) {
      const service = await start().catch((error) => (attempt === 20 ? Promise.reject(error) : null))
      if (service) return service
      await sleep(500)
    }
  }

  const process: Process = {
    ...{ http, mqtt, postgres, service: await startAtLast(), cell, isDown: false },
    async restart() {
      process.service = await startAtLast()
      process.isDown = false
    },
  }
  return process
}
