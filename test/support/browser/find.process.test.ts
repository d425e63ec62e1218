import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findBrowser, howToGetOne, type Machine } from './find.ts'

function machine(given: Partial<Machine> & { has?: string[]; broken?: string[] }): Machine {
  const { has = [], broken = [], ...rest } = given
  const exists = (path: string) => [...has, ...broken].includes(path)
  const starts = (path: string) => has.includes(path)
  return { platform: 'linux', arch: 'x64', musl: false, env: { PATH: '/usr/bin:/opt/b' }, exists, starts, ...rest }
}

const named = (LANDBRIDGE_TEST_BROWSER: string) => ({ env: { PATH: '/usr/bin', LANDBRIDGE_TEST_BROWSER } })

describe('decision 4.6: which browser the journeys run in', () => {
  const cases: [string, Machine, string][] = [
    ['the one that is named', machine({ has: ['/b/mine', '/usr/bin/chromium'], ...named('/b/mine') }), '/b/mine'],
    ['none, when that is asked for', machine({ has: ['/usr/bin/chromium'], ...named('none') }), 'none'],
    [
      'the packaged one, when that is asked for',
      machine({ has: ['/usr/bin/chromium'], ...named('packaged') }),
      'packaged',
    ],
    ["the machine's own on PATH", machine({ has: ['/opt/b/google-chrome-stable'] }), '/opt/b/google-chrome-stable'],
    ['Edge, too', machine({ has: ['/opt/b/microsoft-edge'] }), '/opt/b/microsoft-edge'],
    ['one in a usual place that is not on PATH', machine({ has: ['/snap/bin/chromium'] }), '/snap/bin/chromium'],
    [
      'the next one, where the first is a script that only says where to get a browser',
      machine({ broken: ['/usr/bin/chromium-browser'], has: ['/usr/bin/google-chrome'] }),
      '/usr/bin/google-chrome',
    ],
    ['on x64 without any: the packaged one', machine({}), 'packaged'],
    [
      'one without windows before any other',
      machine({ has: ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'] }),
      '/usr/bin/chromium-headless-shell',
    ],
    ['on arm64 with its own browser', machine({ arch: 'arm64', has: ['/usr/bin/chromium'] }), '/usr/bin/chromium'],
    ['on arm64 without any: none, since the packaged one is an x64 program', machine({ arch: 'arm64' }), 'none'],
    ['on musl without any: none, since the packaged one needs glibc', machine({ musl: true }), 'none'],
    [
      "on macOS: the application's own program",
      machine({ platform: 'darwin', has: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'] }),
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
    ['on macOS without any: none', machine({ platform: 'darwin' }), 'none'],
  ]
  for (const [title, given, wanted] of cases) it(title, () => assert.equal(findBrowser(given), wanted))

  it('one that is named but does not exist is an error, not another browser', () => {
    const given = machine({ has: ['/usr/bin/chromium'], ...named('/gone') })
    assert.throws(() => findBrowser(given), /LANDBRIDGE_TEST_BROWSER names \/gone, which does not exist/)
  })
})

describe('decision 4.6: a journey where there is no browser', () => {
  const folder = fileURLToPath(new URL('../..', import.meta.url))

  it('every test file that opens a page takes `it` from here, so that it is skipped', async () => {
    const faults: string[] = []
    for await (const name of glob('**/*.test.ts', { cwd: folder })) {
      if (name === 'support/browser/find.process.test.ts') continue
      const text = await readFile(join(folder, name), 'utf8')
      const opens = /\bcreateWorld\(|\bnewContext\(|\bstartConsentWorld\(/.test(text)
      if (opens && !/import \{ .*\bit\b.* \} from '\.\.?\/(support\/)?browser\/browser\.ts'/.test(text))
        faults.push(name)
    }
    assert.deepEqual(faults, [])
  })

  const journey = fileURLToPath(new URL('./journey.ts', import.meta.url))
  const run = (env: Record<string, string>) => {
    const { CI: _, NODE_TEST_CONTEXT: __, ...rest } = process.env
    const flags = ['--disable-warning=ExperimentalWarning', '--test-reporter=tap']
    return spawnSync(process.execPath, [...flags, journey], { encoding: 'utf8', env: { ...rest, ...env } })
  }

  it('is skipped and counted as skipped, never as passed', () => {
    const { status, stdout } = run({ LANDBRIDGE_TEST_BROWSER: 'none' })
    assert.equal(status, 0, stdout)
    assert.match(stdout, /^# pass 0$/m)
    assert.match(stdout, /^# skipped 1$/m)
    assert.match(stdout, /# SKIP no browser/)
  })

  it('fails in CI, with the sentence that says how to get a browser', () => {
    const { status, stdout } = run({ LANDBRIDGE_TEST_BROWSER: 'none', CI: '1' })
    assert.equal(status, 1)
    assert.match(stdout, /^# fail 1$/m)
    assert.ok(stdout.includes(howToGetOne))
  })
})
