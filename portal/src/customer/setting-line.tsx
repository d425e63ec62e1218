import { Badge, Box, Button, Group, Stack, Text } from '@mantine/core'
import type { DictionaryEntry } from '../api/generated.ts'
import type { Value } from '../api/organization.ts'
import type { DeviceSetting } from '../api/settings.ts'
import { type Dictionary, formatValue, labelOf, rangeOf } from '../components/device/data-points.ts'
import { SettingField } from '../components/setting/setting-field.tsx'
import { settingLooks, type Typed, typedOf } from '../components/setting/setting-values.ts'

interface SettingLineProps {
  entry: DictionaryEntry
  dictionary: Dictionary
  setting: DeviceSetting | undefined
  /** What the device sent last; undefined: nothing. */
  reported: Value | undefined
  value: Typed
  error: string | undefined
  /** Null where the person may not. */
  onChange: ((value: Typed) => void) | null
}

/** One setting: what is wanted, what the device reports, and how far they are apart. */
export function SettingLine(props: SettingLineProps) {
  const { entry, dictionary, setting, reported, value, error, onChange } = props
  const { key, description } = entry
  const about = [description, rangeOf(dictionary, key)].filter(Boolean).join(' · ')
  const actual = reported ?? setting?.reported
  return (
    <Box component="li" className="setting-line" data-setting={key}>
      <div>
        <Text size="sm" fw={600} component="div" style={{ overflowWrap: 'anywhere' }}>
          {labelOf(dictionary, key)}
        </Text>
        {about && (
          <Text size="xs" c="dimmed">
            {about}
          </Text>
        )}
      </div>
      <SettingField
        entry={entry}
        value={value}
        error={error}
        disabled={!onChange}
        onChange={(next) => onChange?.(next)}
        hideLabel
      />
      <Stack gap={4}>
        <Group gap="xs">
          <SettingState setting={setting} />
          <Text size="sm" c="dimmed">
            {actual === undefined || actual === null
              ? 'Not reported by the device'
              : `Device reports ${formatValue(dictionary, key, actual)}`}
          </Text>
        </Group>
        {setting?.message && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {setting.message}
          </Text>
        )}
        {setting?.differs && setting.template && (
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              Differs from the template: {formatValue(dictionary, key, setting.template.value)}
            </Text>
            {onChange && value !== typedOf(setting.template?.value) && (
              <Button size="compact-xs" variant="default" onClick={() => onChange(typedOf(setting.template?.value))}>
                Use it<span className="visually-hidden"> for {labelOf(dictionary, key)}</span>
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Box>
  )
}

function SettingState({ setting }: { setting: DeviceSetting | undefined }) {
  const look = setting?.state && setting.desired !== null ? settingLooks[setting.state] : undefined
  return <Badge color={look?.color ?? 'gray'}>{look?.label ?? 'Not set'}</Badge>
}
