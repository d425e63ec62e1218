export type { DeviceSetting, DeviceSettings, DictionaryEntry, SettingState, SettingTemplate } from './generated.ts'
