import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { it, newContext } from './support/browser/browser.ts'
import { endWithParent } from './support/end-with-parent.ts'
import { removeFolder } from './support/remove-folder.ts'
import { anyPort } from './support/service.ts'
import { until } from './support/until.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The sources and links to the packages, so that a test can change a file. */
async function copySources(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-dev-'))
  // Started by root, Postgres runs as another user, who must be able to pass through.
  await chmod(folder, 0o711)
  const notBuilt = (path: string) => !/[\\/](node_modules|dist)$/.test(path)
  for (const name of ['package.json', 'tsconfig.json', 'dev', 'server', 'portal', 'docs', 'client'])
    await cp(join(root, name), join(folder, name), { recursive: true, filter: notBuilt })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  // Packages of the portal alone; the folder itself is written to.
  await mkdir(join(folder, 'portal', 'node_modules'))
  const own = await readdir(join(root, 'portal', 'node_modules')).catch(() => [])
  for (const name of own.filter((one) => !one.startsWith('.')))
    await symlink(join(root, 'portal', 'node_modules', name), join(folder, 'portal', 'node_modules', name))
  return folder
}

interface Dev {
  url: string
  lab: { email: string; password: string; customer_id: string }
  stop(): Promise<void>
}

async function startDev(folder: string): Promise<Dev> {
  const { PATH = '', HOME = '' } = process.env
  const flags = ['--disable-warning=ExperimentalWarning', ...endWithParent()]
  const child = spawn(process.execPath, [...flags, join(folder, 'dev', 'main.ts')], {
    env: { PATH, HOME, ...anyPort, LANDBRIDGE_LAB: 'true', NODE_COMPILE_CACHE: join(folder, 'compiled') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => chunks.push(text))
  const output = () => chunks.join('')
  const shows = () => /^(http:\S+) shows what you save/m.exec(output())?.[1]
  await until(() => shows() || child.exitCode !== null, 'npm run dev', 60)
  assert.ok(shows(), output())
  await until(() => output().includes('lab.json'), 'the lab')
  const lab = JSON.parse(await readFile(join(folder, 'data-dev', 'lab.json'), 'utf8'))
  return { url: shows()!, lab, stop }
}

async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  assert.ok(text.includes(from), `${file} has no ${from}`)
  await writeFile(file, text.replace(from, to))
}

describe('npm run dev', () => {
  let folder: string
  let dev: Dev
  before(async () => {
    folder = await copySources()
    dev = await startDev(folder)
  })
  after(async () => {
    await dev?.stop()
    await removeFolder(folder)
  })
  const unknownPaths = () => join(folder, 'server', 'src', 'platform', 'http', 'unknown-paths.ts')

  /** What the service says about a path that it does not know. */
  async function missing(): Promise<string> {
    return await (await fetch(`${dev.url}/nowhere`)).text()
  }

  it('one address: sign in; a saved file of the portal changes the open page, one of the service restarts it and loads the page again', async () => {
    const page = await (await newContext({ baseURL: dev.url })).newPage()
    const problems: string[] = []
    page.on('console', (message) => {
      // Before the sign-in, the first read finds out that there is no session.
      if (message.type() === 'error' && !/status of 401/.test(message.text())) problems.push(message.text())
    })
    await page.goto(`/customer/${dev.lab.customer_id}`)
    await page.getByLabel('Email').fill(dev.lab.email)
    await page.getByLabel('Password').fill(dev.lab.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This organization').waitFor()
    assert.equal(problems.join('\n'), '')

    await page.evaluate('window.isTheSamePage = true')
    await edit(
      join(folder, 'portal', 'src', 'customer', 'overview.tsx'),
      'This organization',
      'What this organization has',
    )
    await page.getByText('What this organization has').waitFor()
    assert.equal(await page.evaluate('window.isTheSamePage'), true)

    await edit(unknownPaths(), "'There is nothing at this address.'", "'Saved once.'")
    await until(async () => (await missing()).includes('Saved once.'), 'the restart')
    const isAnother = () => page.evaluate('window.isTheSamePage === undefined').catch(() => false)
    await until(isAnother, 'the page to be loaded again')
    await page.getByText('What this organization has').waitFor()
    assert.deepEqual(
      problems.filter((text) => text.includes('Content Security Policy')),
      [],
    )
  })

  it('a mistake in the service: the address says so, and the next save starts it again', async () => {
    await edit(unknownPaths(), "'Saved once.'", "'Saved")
    await until(async () => (await missing()).includes('The service does not run'), 'the mistake')
    await edit(unknownPaths(), "'Saved", "'Saved again.'")
    await until(async () => (await missing()).includes('Saved again.'), 'the correction')
  })
})
