import { readdir, readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { defineConfig, type Plugin, type UserConfig } from 'vite'

const assets = new URL('./dist/assets/', import.meta.url)

export default defineConfig(
  ({ command }): UserConfig => ({
    logLevel: 'warn',
    plugins: [command === 'serve' && refresh(), precompress()],
    // The server puts each response's own nonce in its place.
    html: { cspNonce: '__NONCE__' },
    build: {
      target: 'es2023',
      // Nothing inline: a data: address would need a hole in the Content-Security-Policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 600,
      // Of no use to whoever installs: how long compression took, and that libraries mark their modules `use client`.
      rolldownOptions: { checks: { bundlerTimings: false, moduleLevelDirective: false } },
    },
  }),
)

/** Keeps a page's state while its code changes; only `npm run dev` has a use for it, so a production install goes without. */
async function refresh(): Promise<Plugin[]> {
  const { default: react } = await import('@vitejs/plugin-react')
  return react()
}

/** Compressed once at build time and at the highest level, so that serving costs nothing. */
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
