import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url))

/** An editor that saves several files causes one restart. */
const settleMilliseconds = 50
/** A page with live updates must not delay a restart; the service survives being killed. */
const stopMilliseconds = 1_000

/** The service in its own process, replaced when its files change. */
export class Service {
  readonly #environment: NodeJS.ProcessEnv
  readonly #port: number
  readonly #onRestarted: () => void
  #child: ChildProcess | undefined
  /** The child that was seen to accept connections. */
  #serving: ChildProcess | undefined
  /** The replacements so far, one after the other. */
  #replaced: Promise<void> = Promise.resolve()
  #settling: NodeJS.Timeout | undefined
  #stopped = false

  private constructor(environment: NodeJS.ProcessEnv, port: number, onRestarted: () => void) {
    this.#environment = environment
    this.#port = port
    this.#onRestarted = onRestarted
  }

  static async start(environment: NodeJS.ProcessEnv, onRestarted: () => void): Promise<Service> {
    const service = new Service(environment, await freePort(), onRestarted)
    service.#spawn()
    return service
  }

  restart(): void {
    clearTimeout(this.#settling)
    this.#settling = setTimeout(() => {
      this.#replaced = this.#replaced.then(() => this.#replace())
    }, settleMilliseconds)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#settling)
    await this.#replaced
    await this.#end()
  }

  /** Its port once it accepts connections; null when it ended instead, which the terminal explains. */
  async port(): Promise<number | null> {
    for (;;) {
      await this.#replaced
      const child = this.#child
      if (!child || hasEnded(child)) return null
      if (this.#serving === child) return this.#port
      if (await accepts(this.#port)) this.#serving = child
      else await sleep(50)
    }
  }

  async #replace(): Promise<void> {
    const began = performance.now()
    await this.#end()
    if (this.#stopped) return
    const child = this.#spawn()
    // Not awaited: what is saved meanwhile replaces it at once.
    void this.port().then((port) => {
      if (port === null || child !== this.#child) return
      console.log(`The service was restarted in ${((performance.now() - began) / 1000).toFixed(1)} s.`)
      this.#onRestarted()
    })
  }

  #spawn(): ChildProcess {
    const env = { ...this.#environment, PORT: String(this.#port) }
    const child = spawn(process.execPath, [...process.execArgv, main], { stdio: ['ignore', 'inherit', 'inherit'], env })
    child.on('exit', (code) => {
      if (child === this.#child && code) console.error('The service has ended. Saving a file of it starts it again.')
    })
    this.#child = child
    return child
  }

  async #end(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || hasEnded(child)) return
    const killing = setTimeout(() => child.kill('SIGKILL'), stopMilliseconds)
    child.kill('SIGTERM')
    await once(child, 'exit')
    clearTimeout(killing)
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
