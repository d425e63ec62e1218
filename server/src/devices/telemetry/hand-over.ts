import type { BaseContext } from '../../platform/context.ts'
import type { HandOverSockets } from '../../platform/process/siblings.ts'
import { type IngestQueue, type IngestQueueOptions, ingestQueue } from './ingest-queue.ts'
import type { Message } from './message.ts'
import { type Outcome, outcomes } from './outcome.ts'
import { openWriterLink, type WriterLink } from './writer-link.ts'
import { openWriterListener, storeAll } from './writer-listener.ts'

export interface HandOver {
  /** Of the messages that this process received. */
  queue: IngestQueue<Message, Outcome>
  close(): Promise<void>
}

/** Batches of this process that may be on their way to the writer; the next ones gather meanwhile. */
const maxUnderWay = 32
const againMilliseconds = 1_000

/**
 * Processes of one cell hand their messages to one of them, the writer, so that a statement has the messages of all
 * (decision 9.17). The queue keeps a device in one batch at a time, so that its messages stay in order whoever stores
 * them: a writer can change at any moment.
 */
export function createHandOver(
  context: Pick<BaseContext, 'log' | 'disk'>,
  sockets: HandOverSockets,
  stored: IngestQueue<Message, Outcome>,
  bounds: IngestQueueOptions<Message>,
): HandOver {
  const { log, disk } = context
  const listener = openWriterListener(sockets.own, stored, log)
  let link: WriterLink | null = null
  let lostAt = Number.NEGATIVE_INFINITY

  /** Null while this process has to store its messages itself: it is the writer, or none can be reached. */
  function currentLink(): WriterLink | null {
    const path = sockets.writer()
    if (link?.path !== path) {
      link?.leave()
      link = null
      lostAt = Number.NEGATIVE_INFINITY
    }
    if (path === null || path === sockets.own) return null
    if (link?.state() === 'closed') {
      link = null
      lostAt = performance.now()
    }
    if (!link && performance.now() > lostAt + againMilliseconds) link = openWriterLink(path, log)
    return link?.state() === 'open' ? link : null
  }

  async function deliver(messages: Message[]): Promise<Outcome[]> {
    const writer = currentLink()
    if (!writer) return await storeAll(stored, messages)
    const found = (await writer.send(messages)) ?? (await storeUnconfirmed(messages))
    if (found.some((outcome) => outcome.status === 503 && outcome.code === 'storage_full')) disk.reportFull()
    return found
  }

  /** The writer may have committed them: only what says that it is a repeat can be stored again without becoming two. */
  async function storeUnconfirmed(messages: Message[]): Promise<Outcome[]> {
    log.error({ messages: messages.length }, 'hand-over: the writer was lost, and with it what became of messages')
    const repeatable = messages.filter(({ message_id }) => message_id !== null)
    const found = repeatable.length > 0 ? await storeAll(stored, repeatable) : []
    const known = new Map(repeatable.map((message, index) => [message, found[index]!]))
    return messages.map((message) => {
      const outcome = known.get(message)
      return outcome === undefined || outcome.status === 503 ? outcomes.unknown : outcome
    })
  }

  return {
    queue: ingestQueue(deliver, { ...bounds, atOnce: maxUnderWay }),
    async close() {
      link?.leave()
      await listener.close()
    },
  }
}
