// Plain JavaScript without dependencies, so that a Node.js too old for everything else can still read it and say so.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 16)) {
  console.error(`Landbridge needs Node.js 24.16 or newer; this is ${process.versions.node} (${process.execPath}).`)
  console.error(howToGetIt())
  process.exit(1)
}

/** @returns {string} */
function howToGetIt() {
  const name = { 'linux x64': 'linux-x64', 'linux arm64': 'linux-arm64', 'win32 x64': 'win-x64' }[
    `${process.platform} ${process.arch}`
  ]
  if (!name || isMusl()) {
    const libc = isMusl() ? ' with musl' : ''
    return `None is packaged for ${process.platform} ${process.arch}${libc}: install it from https://nodejs.org or your system's packages.`
  }
  const folder = fileURLToPath(new URL(`../node_modules/node-${name}/bin/`, import.meta.url))
  return existsSync(folder)
    ? `npm ci has installed one: use npm start, npm test or npx landbridge, or add ${folder} to PATH.`
    : 'npm ci installs one, unless it is told to leave out optional packages (--omit=optional, --no-optional).'
}

/** @returns {boolean} */
function isMusl() {
  if (process.platform !== 'linux' || !process.report) return false
  process.report.excludeNetwork = true // its names are looked up, which can take seconds
  return !process.report.getReport().header.glibcVersionRuntime
}
