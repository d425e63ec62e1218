// The examples import the kit by its name, which leads to its built form; the tests try what is in the sources.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const client = new URL('../../client/', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', client), 'utf8'))

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('@landbridge/client')) return next(specifier, context)
    const built = exports[specifier.replace('@landbridge/client', '.')].import.default
    return next(new URL(built.replace(/^\.\/dist\/esm\/(.*)\.js$/, 'src/$1.ts'), client).href, context)
  },
})
