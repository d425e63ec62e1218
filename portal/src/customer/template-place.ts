import type { SettingTemplate } from '../api/settings.ts'

/** `Everywhere`, `Oslo / Ground floor` */
export function placeOf({ space_id, space_path }: SettingTemplate): string {
  return space_id ? space_path.join(' / ') : 'Everywhere'
}
