import { AsyncLocalStorage } from 'node:async_hooks'
import { Worker } from 'node:worker_threads'
import { ownLimits } from '../own-limits.ts'
import { Refusal } from '../refusal.ts'

export interface JudgedPassword {
  password: string
  /** What others know about its owner: names, email, the name of the service. */
  about: string[]
}

/** Why a password is easy to guess. */
export type Weakness = 'personal' | 'common' | 'repeated' | 'sequence' | 'keys' | 'date' | 'guessable'

interface Waiter {
  resolve(weakness: Weakness | null): void
  reject(error: Error): void
}

/** Its thread holds 25 MB of dictionaries, so it ends when nobody has chosen a password for a while. */
const idleMilliseconds = 60_000

/** The thread serves many callers, so it must not inherit the async context of the one that started it. */
const outsideAnyRequest = AsyncLocalStorage.snapshot()

let worker: Worker | null = null
let idle: NodeJS.Timeout | undefined
/** The oldest first: the thread replies in the order of the questions. */
const waiters: Waiter[] = []

/** Null for a password that is hard enough to guess (decision 6.63). One thread per process, so one at a time. */
export async function judgePassword(judged: JudgedPassword): Promise<Weakness | null> {
  if (waiters.length >= ownLimits.judgedPasswordsWaiting) {
    throw new Refusal(503, 'overloaded', 'Too many passwords are being checked. Try again shortly.')
  }
  return await new Promise((resolve, reject) => {
    worker ??= outsideAnyRequest(start)
    clearTimeout(idle)
    worker.ref()
    waiters.push({ resolve, reject })
    worker.postMessage(judged)
  })
}

function start(): Worker {
  const started = new Worker(new URL('password-strength-worker.ts', import.meta.url))
  started.on('message', (weakness: Weakness | null) => {
    waiters.shift()!.resolve(weakness)
    if (waiters.length === 0) rest(started)
  })
  started.on('error', (error) => end(started, error as Error))
  started.on('exit', () => end(started, new Error('the thread that judges passwords ended')))
  return started
}

/** A thread keeps the process alive only while a caller waits for it. */
function rest(resting: Worker): void {
  resting.unref()
  idle = outsideAnyRequest(() => setTimeout(() => end(resting), idleMilliseconds)).unref()
}

/** Rejects its callers; the next password starts another thread. */
function end(ended: Worker, error?: Error): void {
  if (worker !== ended) return
  worker = null
  for (const { reject } of waiters.splice(0)) reject(error!)
  void ended.terminate()
}
