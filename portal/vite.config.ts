import { readdir, readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { defineConfig, type Plugin, type UserConfig } from 'vite'

const assets = new URL('./dist/assets/', import.meta.url)

export default defineConfig(
  ({ command }): UserConfig => ({
    logLevel: 'warn',
    plugins: [command === 'serve' && refresh(), precompress()],
    // The server replaces it by the nonce of each response.
    html: { cspNonce: '__NONCE__' },
    build: {
      target: 'es2023',
      // Nothing inline: the Content-Security-Policy allows no data: URLs.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 600,
      // Noise during an installation: timings, and that libraries mark their modules `use client`.
      rolldownOptions: { checks: { bundlerTimings: false, moduleLevelDirective: false } },
    },
  }),
)

/** Hot reload, for `npm run dev` only: a production install does not have the plugin. */
async function refresh(): Promise<Plugin[]> {
  // Through a variable: the bundler of this file warns about a package that is not installed.
  const name = '@vitejs/plugin-react'
  const { default: react } = (await import(name)) as typeof import('@vitejs/plugin-react')
  return react()
}

/** Compressed once, at the highest level, so that serving costs nothing. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async closeBundle() {
      const names = (await readdir(assets)).filter((name) => /\.(js|css|svg)$/.test(name))
      await Promise.all(
        names.map(async (name) => {
          const content = await readFile(new URL(name, assets))
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
          await writeFile(new URL(`${name}.br`, assets), await promisify(brotliCompress)(content, { params }))
          await writeFile(new URL(`${name}.gz`, assets), await promisify(gzip)(content, { level: 9 }))
        }),
      )
    },
  }
}
