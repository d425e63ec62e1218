#!/usr/bin/env node
// Plain JavaScript, as is what it imports first, so that a Node.js too old for the rest can still say so.
import './require-node.js'
import { fileURLToPath } from 'node:url'

// Node warns about every experimental feature, which does not help the person who starts the service.
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
