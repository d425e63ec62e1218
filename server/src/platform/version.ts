import { readFileSync } from 'node:fs'

/** Of the service; the kit and the portals have the same. */
export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
