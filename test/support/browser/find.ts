// Which browser the journeys run in: the one that is named, else the machine's own, else the packaged one where it is for this machine.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The program's path; `packaged`, which npm brought; or `none`. */
export type BrowserChoice = string

export interface Machine {
  platform: NodeJS.Platform
  arch: string
  musl: boolean
  env: Record<string, string | undefined>
  exists(path: string): boolean
  /** Whether a program that is there is a browser that starts: Ubuntu's `chromium-browser` may only say where to get one. */
  starts(path: string): boolean
}

export const howToGetOne =
  'No browser was found. Install Chromium or Chrome (Debian: apt-get install chromium-headless-shell), or set LANDBRIDGE_TEST_BROWSER to the path of one.'

// The shells have no windows to draw, which takes a fifth of the processor's time.
const names = [
  ...['chromium-headless-shell', 'chrome-headless-shell'],
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
  ...['microsoft-edge', 'microsoft-edge-stable', 'msedge'],
]

const usualPaths: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: [
    ...['/usr/bin', '/usr/local/bin', '/snap/bin'].flatMap((folder) => names.map((name) => `${folder}/${name}`)),
    ...['/opt/google/chrome/chrome', '/opt/microsoft/msedge/msedge'],
  ],
  darwin: ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
    (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
  ),
  win32: ['Program Files', 'Program Files (x86)'].flatMap((folder) => [
    `C:\\${folder}\\Google\\Chrome\\Application\\chrome.exe`,
    `C:\\${folder}\\Microsoft\\Edge\\Application\\msedge.exe`,
  ]),
}

export function findBrowser(machine: Machine = thisMachine()): BrowserChoice {
  const { platform, arch, musl, env, exists, starts } = machine
  const named = env.LANDBRIDGE_TEST_BROWSER
  if (named === 'none' || named === 'packaged') return named
  if (named) {
    if (exists(named)) return named
    throw new Error(
      `LANDBRIDGE_TEST_BROWSER names ${named}, which does not exist. It takes a path, "packaged" or "none".`,
    )
  }
  const ending = platform === 'win32' ? '.exe' : ''
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => names.map((name) => join(folder, name + ending)))
  const own = [...onPath, ...(usualPaths[platform] ?? [])].find((path) => exists(path) && starts(path))
  if (own) return own
  return platform === 'linux' && arch === 'x64' && !musl ? 'packaged' : 'none'
}

function thisMachine(): Machine {
  const { platform, arch, env } = process
  return { platform, arch, musl: platform === 'linux' && !hasGlibc(), env, exists: existsSync, starts }
}

function hasGlibc(): boolean {
  Object.assign(process.report, { excludeNetwork: true }) // its names are looked up, which can take seconds
  return 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header
}

function starts(path: string): boolean {
  // On Windows `--version` opens a window.
  if (process.platform === 'win32') return true
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 30_000 })
  return status === 0 && /Chrom|Edge/.test(stdout)
}
