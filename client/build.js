// Builds dist/ (ES modules for every runtime, CommonJS for callers that use `require`, the types of both) and kit.tgz.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pack } from './pack.js'

const root = fileURLToPath(new URL('.', import.meta.url))
const compiler = findUpward(join('node_modules', '.bin', process.platform === 'win32' ? 'tsc.cmd' : 'tsc'))
if (!compiler || !existsSync(join(root, 'src'))) {
  // Also run when the service alone is installed, without what is needed to build.
  console.log('TypeScript or the sources are not here: the kit is not built.')
  process.exit(process.env.npm_lifecycle_event === 'prepare' ? 0 : 1)
}

rmSync(join(root, 'dist'), { recursive: true, force: true })
compile('tsconfig.build.json')
// Whether a module becomes CommonJS is decided by the package.json above it: so the same sources go into another folder.
const commonJs = join(root, '.cjs')
rmSync(commonJs, { recursive: true, force: true })
mkdirSync(commonJs)
try {
  cpSync(join(root, 'src'), join(commonJs, 'src'), { recursive: true })
  writeFileSync(join(commonJs, 'package.json'), '{ "type": "commonjs" }\n')
  const outDir = join('..', 'dist', 'cjs')
  const options = { outDir, rootDir: 'src', verbatimModuleSyntax: false }
  const config = {
    extends: '../tsconfig.build.json',
    compilerOptions: options,
    include: ['src'],
    exclude: ['src/**/*.test.ts'],
  }
  writeFileSync(join(commonJs, 'tsconfig.json'), JSON.stringify(config))
  compile('.cjs/tsconfig.json')
  cpSync(join(commonJs, 'package.json'), join(root, 'dist', 'cjs', 'package.json'))
} finally {
  rmSync(commonJs, { recursive: true, force: true })
}
for (const kind of ['esm', 'cjs']) renameImports(join(root, 'dist', kind))
writeFileSync(join(root, 'dist', 'browser.js'), await browserModule())
pack(root)

/** Has the names of the kit, or a bundler would complain of those before this can say why. */
async function browserModule() {
  const names = Object.keys(await import('./dist/esm/index.js'))
  return `const refused = refuse()
export { ${names.map((name) => `refused as ${name}`).join(', ')} }

function refuse() {
  throw new Error(
    '@landbridge/client holds client secrets, tokens and keys, which everybody could read in a browser. ' +
      'Use it on your server, and let your pages call your server.',
  )
}
`
}

/** The compiler rewrites the imports of the code, but not those of the types. */
function renameImports(folder) {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.d.ts'))) {
    const path = join(folder, name)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replaceAll(/(from |import\()(['"])(\.[^'"]*)\.ts\2/g, '$1$2$3.js$2'))
  }
}

function compile(project) {
  const { status } = spawnSync(compiler, ['-p', project], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function findUpward(name) {
  for (let folder = root; ; folder = dirname(folder)) {
    const path = join(folder, name)
    if (existsSync(path)) return path
    if (folder === dirname(folder)) return null
  }
}
