#!/usr/bin/env node
// Plain JavaScript, so that a Node too old for the rest can still read it and say so.
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 16)) {
  console.error(`Landbridge needs Node.js 24.16 or newer; this is ${process.versions.node} (${process.execPath}).`)
  console.error(
    'Install it from https://nodejs.org, or run through npm where the project brings its own (Linux, Windows).',
  )
  process.exit(1)
}

// Node tells of every feature it calls experimental, to people who can do nothing about it.
const [print] = process.listeners('warning')
process.removeAllListeners('warning')
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') print?.(warning)
})

// Spares every start but the first the stripping of types. Beside the packages, since in a shared folder such as /tmp
// another user could put code of theirs.
const { enableCompileCache } = await import('node:module')
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/landbridge', import.meta.url)))

await import('./src/cli/landbridge.ts')
