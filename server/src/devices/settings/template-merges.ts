import type { Desired } from './setting-states.ts'
import { problemWith, type Settable, type Value } from './setting-values.ts'

/** What the devices of a model should have in a space and below it; without a space, everywhere. */
export interface Template {
  id: string
  space_id: string | null
  desired: Readonly<Record<string, Value>>
}

export interface TemplateValue {
  value: Value
  template_id: string
}

/** Those that count for a device in a space, which is given with those above it, the nearest first. */
export function coveringTemplates<Of extends Template>(templates: readonly Of[], spaces: readonly string[]): Of[] {
  return templates.filter(({ space_id }) => space_id === null || spaces.includes(space_id))
}

/** Key by key, the nearest template counts. */
export function mergeTemplates(
  templates: readonly Template[],
  spaces: readonly string[],
): ReadonlyMap<string, TemplateValue> {
  const distance = ({ space_id }: Template) => (space_id === null ? spaces.length : spaces.indexOf(space_id))
  const covering = coveringTemplates(templates, spaces)
  const merged = new Map<string, TemplateValue>()
  for (const { id, desired } of covering.sort((one, other) => distance(other) - distance(one))) {
    for (const [key, value] of Object.entries(desired)) merged.set(key, { value, template_id: id })
  }
  return merged
}

/** The settings in which a device differs from its templates, as far as its model still has them. */
export function differences(
  template: ReadonlyMap<string, TemplateValue>,
  desired: Desired,
  settable: Settable,
): Set<string> {
  const differs = ([key, { value }]: [string, TemplateValue]) =>
    desired.get(key)?.value !== value && problemWith(settable.get(key), value) === null
  return new Set([...template].filter(differs).map(([key]) => key))
}
