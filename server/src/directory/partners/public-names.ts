import type { Actor } from '../../events/audit.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { ownBrand } from '../../platform/pages/page.ts'
import { conflict, invalid } from '../../platform/refusal.ts'
import { skeletonOf } from '../../platform/skeleton.ts'
import * as store from '../store/partners-sql.ts'

/** Who a partner could pretend to be on the consent screen; no name may contain the service's own. */
const reserved = [
  ...[
    'admin',
    'administrator',
    'operator',
    'system',
    'service',
    'official',
    'verified',
    'trusted',
    'identity',
    'login',
  ],
  ...['support', 'security', 'helpdesk', 'customer support', 'customer service', 'technical support', 'sign in'],
  ...['security team', 'support team', 'your administrator', 'your organization'],
]

/** The reserved name that this one can be mistaken for. */
export function reservedNameIn(name: string): string | undefined {
  const skeleton = skeletonOf(name)
  if (skeleton.includes(skeletonOf(ownBrand.name))) return ownBrand.name
  return reserved.find((word) => skeletonOf(word) === skeleton)
}

/** Without case, spaces and punctuation: who reads two names that are the same so far knows that they are the same. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** The operator may give a name that it can see to be reserved or taken, but none that only looks like it. */
function mayOverride({ kind }: Actor, name: string, other: string): boolean {
  return (kind === 'operator' || kind === 'system') && plain(name).includes(plain(other))
}

interface Naming {
  actor: Actor
  name: string
  /** Whose name, or whose application's, it becomes. */
  partnerId: string
}

/**
 * Decision 6.41: a name on the consent screen can be mistaken neither for the service and who runs it nor for another
 * partner. Call it in the transaction that stores the name: until it ends, no other name is given.
 */
export async function requireOwnName(sql: Sql, { actor, name, partnerId }: Naming): Promise<void> {
  const word = reservedNameIn(name)
  if (word !== undefined && !mayOverride(actor, name, word)) {
    throw invalid({ field: 'name', message: `must not be mistaken for ${ownBrand.name} or for those who run it` })
  }
  await store.lockNames(sql)
  const others = await store.findNamesLike(sql, skeletonOf(name), partnerId)
  if (others.every((taken) => mayOverride(actor, name, taken))) return
  throw conflict('name_confusable', 'This name can be mistaken for that of another partner. Choose another one.')
}
