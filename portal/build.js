// Builds the portal into dist/. Plain JavaScript: on an old Node.js it must still be able to say what is missing.
// With `--after-install` (npm's `prepare`) a machine without the bundler gets a sentence, and keeps its installation:
// the service runs without the portal. CI gets a failure.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import '../server/require-node.js'

const folder = fileURLToPath(new URL('.', import.meta.url))
const afterInstall = process.argv.includes('--after-install')

const bundler = await loadBundler().catch((error) => {
  const name = missingPackage(error)
  if (!name) throw error
  const what = `The portal is not built: the package ${name}, which builds it on this machine, is not installed.`
  const next =
    'Run "npm ci --include=optional", or build the portal on another machine and copy portal/dist from there.'
  console.error(`${what} ${next}`)
  process.exit(afterInstall && !process.env.CI ? 0 : 1)
})
await bundler.build({ root: folder }).catch((error) => {
  console.error(`The portal could not be built: ${error.message}`)
  process.exit(1)
})

/** Loads both native programs before the build begins, since a missing one would look like an error of ours half-way through. */
async function loadBundler() {
  const vite = await import('vite')
  createRequire(import.meta.resolve('vite'))('lightningcss')
  return vite
}

/**
 * The package for this machine among the causes of a failed import, or the one that could not be found at all.
 * @returns {string | undefined}
 */
function missingPackage(error) {
  const sentences = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) sentences.push(cause.message)
  const names = sentences.flatMap((sentence) => /Cannot find (?:module|package) '([^']+)'/.exec(sentence)?.[1] ?? [])
  const ofMachine = names.find((name) => name.includes(`${process.platform}-${process.arch}`)) ?? names[0]
  // Both programs also look for a file beside them, `../lightningcss.linux-x64-gnu.node`, where a package should be.
  return ofMachine?.replace(/^\.\.\/(?:rolldown-binding|lightningcss)\.(.+)\.node$/, 'lightningcss-$1')
}
