// What the supervisor and its serving processes send each other. A reload may bring newer code to one side only, so a
// kind that is not known is ignored.
import type { MetricReport } from '../merge-metrics.ts'

/** By the names that the configuration has for them. */
export interface ListeningPorts {
  port: number
  mqttsPort: number
  staticCertPort: number
}

export interface StartOrder {
  /** Which of the processes it is, from 1 on. */
  number: number
  databaseUrl: string
  /** Whose disk the rows are on; null for a Postgres elsewhere. */
  folder: string | null
  /** In base64, as messages are JSON. */
  masterKey: string
  operatorKey: string
  ports: ListeningPorts
  /** Only one process, at the start, creates the lab. */
  lab: boolean
  /** Of the sockets over which messages are handed over; null where every process stores its own. */
  handOverFolder: string | null
}

export interface Serving {
  ports: ListeningPorts
  /** What a start prints about the lab. */
  card: string | null
}

export type ToProcess =
  | { kind: 'start'; order: StartOrder }
  /** As SIGTERM: no longer ready, still serving for the drain, then closed. A second one skips the drain. */
  | { kind: 'stop' }
  /** Another process has taken over: closed once the callers have left. */
  | { kind: 'retire' }
  | { kind: 'ping' }
  /** How many serve, and the pid of the one that stores the messages of all, where one does. */
  | { kind: 'serving'; count: number; writer: number | null }
  | { kind: 'report'; collection: number }
  | { kind: 'collected'; question: number; reports: MetricReport[] }

export type ToSupervisor =
  /** Waits for its order. */
  | { kind: 'loaded' }
  | { kind: 'serving'; serving: Serving }
  | { kind: 'pong' }
  | { kind: 'reported'; collection: number; report: MetricReport }
  | { kind: 'collect'; question: number; own: MetricReport }
  /** What it has counted until its end. */
  | { kind: 'last report'; report: MetricReport }
