import assert from 'node:assert/strict'
import { readMigrations } from '../../server/src/platform/database/migration-files.ts'

export const areas = ['platform', 'events', 'directory', 'authorization', 'devices'] as const

export type Area = (typeof areas)[number]

export interface Relation {
  area: Area
  kind: 'table' | 'view'
}

/** Every table and view of the migration files, in their order. A file belongs to the area that follows its number. */
export async function readRelations(): Promise<Map<string, Relation>> {
  const relations = new Map<string, Relation>()
  for (const { name: file, text } of await readMigrations()) {
    const area = areas.find((known) => file.replace(/^\d+_/, '').startsWith(known))
    assert.ok(area, `${file} should name its area after the number: ${areas.join(', ')}`)
    for (const [, kind, name] of text.matchAll(/^create (?:unlogged )?(table|view) (\w+)/gm)) {
      relations.set(name!, { area, kind: kind as Relation['kind'] })
    }
  }
  return relations
}
