// From a clone to a connected application with live devices, by the commands of the README alone. It uses the ports that
// the README names, so nothing else may use them.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { it, newContext } from '../support/browser/browser.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { until } from '../support/until.ts'

const maxCommands = 6
const maxMinutes = 10
const repository = fileURLToPath(new URL('../..', import.meta.url))
const readme = await readFile(join(repository, 'README.md'), 'utf8')

/** Those that go on running, and what they write once a person would go on. */
const running: Record<string, RegExp> = {
  'npm start': /Landbridge is ready|"msg":"ready"/,
  'npx landbridge simulate': /sent|messages/i,
  'npm run example:app': /Open http/,
}

describe(`README: from a clone to an application with live devices`, () => {
  it(`takes at most ${maxCommands} commands and ${maxMinutes} minutes`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'landbridge-quick-start-'))
    await chmod(folder, 0o711)
    const clone = join(folder, 'landbridge')
    const began = performance.now()
    const commands = [`git clone --quiet ${repository} ${clone}`, ...commandsOf('Start'), ...commandsOf('Try it')]
    const children: ChildProcess[] = []
    after(async () => {
      for (const child of children.toReversed()) await stop(child)
      await removeFolder(folder)
    })
    for (const [index, command] of commands.entries()) {
      const from = performance.now()
      const child = spawn('sh', ['-c', command], {
        cwd: index === 0 ? folder : clone,
        env: cleanEnvironment(),
        detached: true,
      })
      children.push(child)
      await goesOn(child, command)
      console.log(`${index + 1}. ${command}: ${Math.round((performance.now() - from) / 1000)} s`)
    }
    await connectInBrowser(JSON.parse(await readFile(join(clone, 'data', 'lab.json'), 'utf8')))
    const minutes = (performance.now() - began) / 60_000
    console.log(`${commands.length} commands, ${minutes.toFixed(1)} minutes`)
    assert.ok(commands.length <= maxCommands, commands.join('\n'))
    assert.ok(minutes <= maxMinutes, `${minutes} minutes`)
  })
})

/** The lines of the first block of shell commands under a heading, without their comments. */
function commandsOf(heading: string): string[] {
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? assert.fail(heading)
  const block = /```sh\n(.*?)```/s.exec(section)?.[1] ?? assert.fail(`no commands under ${heading}`)
  return block
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''))
}

/** Of a person who has just opened a terminal. */
function cleanEnvironment(): Record<string, string> {
  const path = process.env.PATH!.split(':').filter((part) => !part.includes('node_modules'))
  return { PATH: path.join(':'), HOME: homedir() }
}

async function goesOn(child: ChildProcess, command: string): Promise<void> {
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const sign = Object.entries(running).find(([start]) => command.startsWith(start))?.[1]
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  await until(() => isOver() || sign?.test(output), command, maxMinutes * 60)
  assert.equal(child.exitCode ?? 0, 0, `${command}\n${output}`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  process.kill(-child.pid!, 'SIGINT')
  await ended
}

async function connectInBrowser(lab: { email: string; password: string }): Promise<void> {
  const context = await newContext({ baseURL: 'http://localhost:3000' })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto('/')
  await page.getByRole('link', { name: /^Connect/ }).click()
  await page.getByLabel('Email').fill(lab.email)
  await page.getByLabel('Password').fill(lab.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: /^Approve for / }).click()
  await page.getByRole('heading', { name: 'Devices' }).waitFor()
  const before = await page.getByRole('main').textContent()
  await until(async () => (await page.getByRole('main').textContent()) !== before, 'a value that changes', 90)
  await context.close()
}
