import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { endWithParent } from './end-with-parent.ts'
import { until } from './until.ts'

const root = new URL('../../', import.meta.url)
const kitFromSource = new URL('./kit-from-source.js', import.meta.url).href

export interface Example {
  child: ChildProcess
  output(): string
  /** Waits until it has written this. */
  wrote(pattern: RegExp): Promise<RegExpExecArray>
  /** Ctrl-C; returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  ended: Promise<number | null>
}

/** Starts a program of `examples/` as `npm run` does, with no settings but these. */
export function startExample(path: string, env: Record<string, string>): Example {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const program = fileURLToPath(new URL(`examples/${path}`, root))
  const flags = ['--disable-warning=ExperimentalWarning', '--import', kitFromSource, ...endWithParent()]
  const child = spawn(process.execPath, [...flags, program], {
    cwd: fileURLToPath(root),
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  after(() => child.kill('SIGKILL'))
  let text = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    ended,
    output: () => text,
    async wrote(pattern) {
      const isOver = () => pattern.test(text) || child.exitCode !== null
      await until(isOver, `${path}: ${pattern}`, 120)
      const found = pattern.exec(text)
      if (!found) throw new Error(`${path} ended without ${pattern}:\n${text}`)
      return found
    },
    async stop(signal = 'SIGINT') {
      child.kill(signal)
      return await ended
    },
  }
}
