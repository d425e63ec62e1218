import pino from 'pino'
import { endStreams } from '../../server/src/api/organization/device-stream.ts'
import { SigningThreads, threadsPerProcess } from '../../server/src/authorization/keys/signing-threads.ts'
import { buildApp } from '../../server/src/build-app.ts'
import { readConfig } from '../../server/src/config.ts'
import { type Context, createContext } from '../../server/src/context.ts'
import { learnShards } from '../../server/src/devices/telemetry/distribution.ts'
import { openDatabase, openHotPool, openReadPool } from '../../server/src/platform/database/database.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { parseExactly } from '../../server/src/platform/escaped-keys.ts'
import type { App } from '../../server/src/platform/http/app.ts'
import { noSiblings } from '../../server/src/platform/process/siblings.ts'
import { onCitus } from './citus.ts'
import { createDatabase, whenDone } from './database.ts'
import { operatorKey, testMasterKey } from './keys.ts'
import { manyCalls } from './many-calls.ts'

/** Those of the process, as in a running service: starting one takes about 60 ms of CPU. */
const signingThreads = new SigningThreads(threadsPerProcess(1))

/** A clock that only the test moves. */
export class Clock {
  #at = new Date('2026-03-01T12:00:00.000Z').getTime()

  /** Why the service must not serve, if a test sets it. */
  problem: string | null = null

  now = (): Date => new Date(this.#at)

  forward(seconds: number): void {
    this.#at += seconds * 1000
  }
}

export interface Harness {
  app: App
  context: Context
  sql: Pool
  clock: Clock
  databaseUrl: string
  operator: OperatorCall
}

type OperatorCall = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => Promise<TestResponse>

export interface TestResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service returned
  body: any
  headers: Record<string, string | string[] | number | undefined>
}

/**
 * The whole service on its own database, with a clock the test moves; requests go in through `app.inject`. `beside` is
 * another one, whose database and clock it shares.
 */
export async function startHarness(
  environment: Record<string, string> = {},
  { beside }: { beside?: Pick<Harness, 'databaseUrl' | 'clock'> } = {},
): Promise<Harness> {
  const databaseUrl = beside?.databaseUrl ?? (await createDatabase())
  const clock = beside?.clock ?? new Clock()
  const own = openDatabase({ url: databaseUrl, max: 4, forbidNested: true, distributed: onCitus })
  await learnShards(own)
  const hot = openHotPool(own, { max: 4 })
  const reads = openReadPool(own, { max: 4 })
  // A test may hold a lock and look on meanwhile.
  const sql = own.alongside({ forbidNested: false })
  const { config, faults } = readConfig({ LANDBRIDGE_LAB: 'false', ...manyCalls, ...environment })
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  const context = createContext({
    config,
    addresses: {
      publicUrl: 'http://landbridge.test',
      entryUrl: 'http://landbridge.test',
      hubUrl: config.hubUrl ?? 'http://landbridge.test',
      mqttUrl: config.mqttUrl ?? 'mqtts://landbridge.test:8883',
      staticCertUrl: config.staticCertUrl ?? 'https://landbridge.test:8443',
    },
    sql: own,
    hot,
    reads,
    clock: { now: clock.now, problem: () => clock.problem, compare: async () => {} },
    lifecycle: { draining: false, retiring: false },
    disk: { isFull: () => false, free: () => null, reportFull() {} },
    siblings: noSiblings,
    log: pino({ level: process.env.LANDBRIDGE_LOG_LEVEL ?? 'silent' }),
    tracing: null,
    keys: { master: testMasterKey, operator: operatorKey },
    // Hundreds of people sign in; what a real password costs is shown by the tests with processes.
    passwordCost: { memory: 64, passes: 1, parallelism: 1 },
  })
  context.signingThreads = signingThreads
  // No test waits for the network; one that is about DNS has its own name server.
  context.lookUpText = async () => 'unreachable'
  const app = await buildApp(context)
  await app.ready()
  whenDone(async () => {
    endStreams(context)
    // A client of the test may keep a connection that nobody uses any more.
    const cut = setTimeout(() => app.server.closeAllConnections(), 1_000)
    await app.close()
    clearTimeout(cut)
    await context.telemetry.close()
    await context.notifications.close()
    await Promise.all([sql, own, hot, reads].map((pool) => pool.end({ timeout: 1 })))
  })
  const operator: OperatorCall = async (method, path, body) => {
    const headers = { authorization: operatorKey }
    const url = `/core/v1/operator${path}`
    return toTestResponse(await app.inject({ method, url, headers, ...(body ? { payload: body } : {}) }))
  }
  return { app, context, sql, clock, databaseUrl, operator }
}

/** Over real sockets and in real time, for clients that have their own clock. */
export async function listen({ app, context, clock }: Harness): Promise<string> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  Object.assign(context.addresses, { publicUrl: url, entryUrl: url, hubUrl: url })
  clock.forward((Date.now() - clock.now().getTime()) / 1000)
  return url
}

export function toTestResponse(response: { statusCode: number; body: string; headers: object }): TestResponse {
  let body: unknown = response.body
  try {
    body = parseExactly(response.body)
  } catch {
    // A page or an empty body stays as it is.
  }
  return { status: response.statusCode, body, headers: response.headers as TestResponse['headers'] }
}
