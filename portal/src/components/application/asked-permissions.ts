import type { Application } from '../../api/partner.ts'
import { type Area, areas, choicesOf } from '../form/permissions.ts'

/** What an application asks for; null: everything. */
export type Asked = Application['requested_permissions']

/** As a form has it: every area, with level `none` where it is not asked for. */
export type AskedValues = Record<Area, { level: string; reason: string }>

const none = { level: 'none', reason: '' }

export const nothingAsked: AskedValues = { devices: none, spaces: none, people: none, audit: none }

export function askedValues(asked: Asked): AskedValues | null {
  return asked && ({ ...nothingAsked, ...asked } as AskedValues)
}

export function askedToSend(values: AskedValues | null): Asked {
  if (values === null) return null
  const named = areas.filter((area) => values[area].level !== 'none')
  return Object.fromEntries(named.map((area) => [area, values[area]])) as Asked
}

/** `see and manage` */
export function levelText(area: Area, level: string): string {
  return choicesOf(area)
    .find(({ value }) => value === level)!
    .label.toLowerCase()
}
