import { join } from 'node:path'
import type { MetricReport } from '../merge-metrics.ts'
import type { Serving, StartOrder, ToProcess, ToSupervisor } from './messages.ts'
import type { Siblings } from './siblings.ts'

/** A supervisor that is stopped itself must not hold up a scrape. */
const collectMilliseconds = 4_000

/** The supervisor, as one of its processes sees it. */
export interface SupervisorLink {
  order: StartOrder
  siblings: Siblings
  sendServing(serving: Serving): void
  sendLastReport(report: MetricReport): Promise<void>
  /** What the supervisor asks for, each time it does. */
  onReport(report: () => Promise<MetricReport>): void
  onLeave(leave: (how: Leaving) => void): void
}

/** As in `ToProcess`. */
export type Leaving = 'stop' | 'retire'

/** Waits for the order to start. A process whose supervisor has ended ends at once: `node:cluster` sees to that. */
export async function connectToSupervisor(configured: number): Promise<SupervisorLink> {
  let ordered = false
  let serving = 0
  let writer: number | null = null
  let questions = 0
  let report: () => Promise<MetricReport> = async () => []
  /** Until there is a handler, the wish is kept: it may arrive together with the order to start. */
  let leave: ((how: Leaving) => void) | undefined
  let wanted: Leaving | undefined
  const open = new Map<number, (reports: MetricReport[]) => void>()

  async function sendReport(collection: number): Promise<void> {
    send({ kind: 'reported', collection, report: await report().catch(() => []) })
  }

  const order = await new Promise<StartOrder>((resolve) => {
    process.on('message', (message: ToProcess) => {
      switch (message.kind) {
        case 'start':
          ordered = true
          resolve(message.order)
          break
        case 'stop':
        case 'retire':
          // Without its order it has opened nothing.
          if (!ordered) process.exit(0)
          wanted = message.kind
          leave?.(wanted)
          break
        case 'ping':
          send({ kind: 'pong' })
          break
        case 'serving':
          serving = message.count
          writer = message.writer ?? null
          break
        case 'report':
          void sendReport(message.collection)
          break
        case 'collected':
          open.get(message.question)?.(message.reports)
      }
    })
    send({ kind: 'loaded' })
  })

  async function collect(own: MetricReport): Promise<MetricReport[]> {
    questions += 1
    const question = questions
    let timer: NodeJS.Timeout | undefined
    const collected = await new Promise<MetricReport[]>((resolve) => {
      open.set(question, resolve)
      timer = setTimeout(() => resolve([]), collectMilliseconds)
      send({ kind: 'collect', question, own })
    })
    clearTimeout(timer)
    open.delete(question)
    return collected
  }

  // A supervisor that was started before this version does not send it.
  const folder = order.handOverFolder ?? null
  const socketOf = (pid: number) => join(folder!, `${pid}.sock`)
  const writerSocket = () => (writer === null ? null : socketOf(writer))
  const handOver = folder === null ? null : { own: socketOf(process.pid), writer: writerSocket }
  return {
    order,
    siblings: { configured, serving: () => serving, collect, handOver },
    sendServing: (state) => send({ kind: 'serving', serving: state }),
    sendLastReport: (last) => new Promise((resolve) => send({ kind: 'last report', report: last }, resolve)),
    onReport(read) {
      report = read
    },
    onLeave(handle) {
      leave = handle
      if (wanted) handle(wanted)
    },
  }
}

/** A channel that has just closed is no error: the process ends. */
function send(message: ToSupervisor, sent: () => void = () => {}): void {
  if (process.connected) process.send!(message, undefined, undefined, () => sent())
  else sent()
}
