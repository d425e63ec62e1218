// What docs/portals.md, the API document and decisions 6.9, 6.10 and 8.14 say about people, their roles and groups.
import { type Match, type Verdict, verdict } from './verdict.ts'

export type Role = 'administrator' | 'member'

export interface Person {
  id: string
  /** False once removed. */
  belongs: boolean
  role: Role
  active: boolean
  views: boolean
}

export interface Group {
  id: string
  name: string
  members: Set<Person>
  deleted: boolean
}

export interface People {
  /** By the name under which they act. Ada approved the application and created the API key. */
  people: Record<PersonName, Person>
  groups: Group[]
  maxGroups: number
}

export const personNames = ['ada', 'bob', 'cem', 'dee'] as const
export type PersonName = (typeof personNames)[number]
export const actors = [...personNames, 'api_key', 'bearer', 'stranger', 'nobody'] as const
export type Actor = (typeof actors)[number]

const isPerson = (who: Actor): who is PersonName => personNames.some((name) => name === who)
/** A token or an API key must not create an administrator who outlives its revocation. */
const isLimited = (who: Actor) => who === 'api_key' || who === 'bearer'
export const administers = ({ belongs, role, active }: Person): boolean => belongs && active && role === 'administrator'

export const live = ({ groups }: People): Group[] => groups.filter(({ deleted }) => !deleted)
export const groupsOf = (state: People, person: Person): Group[] =>
  live(state).filter(({ members }) => members.has(person))

function judge(state: People, who: Actor, status: number, rest: Record<string, boolean>): Verdict {
  const before = {
    '401': who === 'nobody',
    '403 administrators_only': isPerson(who) && !administers(state.people[who]),
  }
  return Object.values(before).some(Boolean) ? verdict(status, before) : verdict(status, rest)
}

export interface Change {
  role?: Role | undefined
  active?: boolean | undefined
  views?: boolean | undefined
  groups?: Group[] | undefined
}

/** Whether the organization would be without an administrator. */
function isLast(state: People, person: Person, after: Person): boolean {
  const others = Object.values(state.people).filter((other) => other !== person)
  return administers(person) && !administers(after) && !others.some(administers)
}

export function changing(
  state: People,
  { who, person, change, match }: { who: Actor; person: Person; change: Change; match: Match },
): Verdict {
  if (!person.belongs || who === 'stranger') return judge(state, who, 200, { '404 not_found': true })
  const { role, active, views, groups = [] } = change
  const changesMembership = role !== undefined || active !== undefined || views !== undefined
  return judge(state, who, 200, {
    '412 changed_meanwhile': match === 'stale',
    '403 administrators_protected':
      isLimited(who) &&
      (role === 'administrator' ||
        views === true ||
        (changesMembership && person.role === 'administrator') ||
        person === state.people.ada),
    '404 not_found': groups.some(({ deleted }) => deleted),
    '409 last_administrator': isLast(state, person, {
      ...person,
      role: role ?? person.role,
      active: active ?? person.active,
    }),
  })
}

export function applyChange(state: People, person: Person, { role, active, views, groups }: Change): void {
  if (role !== undefined) person.role = role
  if (active !== undefined) person.active = active
  if (views !== undefined) person.views = views
  if (groups === undefined) return
  for (const group of live(state)) {
    if (groups.includes(group)) group.members.add(person)
    else group.members.delete(person)
  }
}

export function removing(state: People, { who, person, match }: { who: Actor; person: Person; match: Match }): Verdict {
  if (!person.belongs || who === 'stranger') return judge(state, who, 204, { '404 not_found': true })
  return judge(state, who, 204, {
    '412 changed_meanwhile': match === 'stale',
    '403 administrators_protected': isLimited(who) && (person.role === 'administrator' || person === state.people.ada),
    '409 last_administrator': isLast(state, person, { ...person, belongs: false }),
  })
}

/** Who left is in no group any more. */
export function applyRemoval(state: People, person: Person): void {
  person.belongs = false
  for (const { members } of state.groups) members.delete(person)
}

export function reading(state: People, who: Actor, isKnown: boolean): Verdict {
  return judge(state, who, 200, { '404 not_found': !isKnown || who === 'stranger' })
}

export const listing = (state: People, who: Actor): Verdict => judge(state, who, 200, {})

const isNamed = (name: string) => (group: Group) => group.name.toLowerCase() === name.toLowerCase()

export function creatingGroup(state: People, who: Actor, name: string): Verdict {
  return judge(state, who, 201, {
    '409 name_taken': live(state).some(isNamed(name)),
    '409 too_many_groups': live(state).length >= state.maxGroups,
  })
}

export function renamingGroup(
  state: People,
  { who, group, name, match }: { who: Actor; group: Group; name: string; match: Match },
): Verdict {
  if (group.deleted || who === 'stranger') return judge(state, who, 200, { '404 not_found': true })
  return judge(state, who, 200, {
    '412 changed_meanwhile': match === 'stale',
    '409 name_taken': live(state).some((other) => other !== group && isNamed(name)(other)),
  })
}

export function deletingGroup(state: People, who: Actor, group: Group): Verdict {
  return judge(state, who, 204, { '404 not_found': group.deleted || who === 'stranger' })
}

export function addingToGroup(state: People, who: Actor, group: Group, person: Person): Verdict {
  return judge(state, who, 204, {
    '403 administrators_protected': isLimited(who) && person === state.people.ada,
    '404 not_found': group.deleted || !person.belongs || who === 'stranger',
  })
}

export function removingFromGroup(state: People, who: Actor, group: Group, person: Person): Verdict {
  return judge(state, who, 204, {
    '403 administrators_protected': isLimited(who) && person === state.people.ada,
    '404 not_found': group.deleted || !group.members.has(person) || who === 'stranger',
  })
}
