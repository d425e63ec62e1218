// The service in a few files, for the tests that start it as a process: reading its 1,600 modules one by one takes more
// than a third of what a start computes. `npm start` reads the sources, as do the tests of the command line.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { root } from './imports.ts'

/** Where packages are found from, as from the sources. */
const cache = join(root, 'node_modules', '.cache', 'landbridge-service')

/** What is read beside a source, such as a migration, is still read there. */
const sourcesKnowTheirPlace: Plugin = {
  name: 'sources-know-their-place',
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
  },
}

/** The path of its main file. What was bundled before is found again, so that its compiled code is too. */
export async function bundleService(): Promise<string> {
  const bundle = await rolldown({
    input: join(root, 'server', 'src', 'main.ts'),
    platform: 'node',
    treeshake: false,
    // Packages of CommonJS look for others as they run.
    external: (name) => /^[@a-z]/.test(name) && !/^(typebox|jose|@oxc-project\/runtime)\b/.test(name),
    plugins: [sourcesKnowTheirPlace],
  })
  const names = { entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' }
  const { output } = await bundle.generate({ format: 'esm', keepNames: true, ...names })
  await bundle.close()
  const chunks = output.filter((file) => file.type === 'chunk')
  const hash = createHash('sha256')
  for (const { code } of chunks) hash.update(code)
  const folder = join(cache, hash.digest('hex').slice(0, 16))
  if (!existsSync(folder)) await writeWhole(folder, chunks)
  return join(folder, 'main.mjs')
}

/** Another run may do the same at this moment. */
async function writeWhole(folder: string, chunks: { fileName: string; code: string }[]): Promise<void> {
  await mkdir(cache, { recursive: true })
  for (const name of await readdir(cache)) {
    const { mtimeMs } = await stat(join(cache, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (mtimeMs < Date.now() - 86_400_000) await rm(join(cache, name), { recursive: true, force: true })
  }
  const partial = await mkdtemp(join(cache, 'partial-'))
  for (const { fileName, code } of chunks) await writeFile(join(partial, fileName), code)
  await rename(partial, folder).catch(async (error) => {
    await rm(partial, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  })
}
