import { Alert, Button, Group, Table, Text } from '@mantine/core'
import type { DeviceSettings } from '../api/settings.ts'
import { type Dictionary, formatValue, labelOf } from '../components/device/data-points.ts'
import { Icon } from '../components/page/icon.tsx'
import type { Scalar } from '../components/setting/setting-values.ts'

interface SettingConflictProps {
  dictionary: Dictionary
  /** As they are now. */
  settings: DeviceSettings
  /** What was to be saved. */
  mine: Record<string, Scalar | null>
  isSaving: boolean
  onKeepMine: () => void
  onTakeOther: () => void
}

/** The settings were changed since the form was filled in: both versions, and the choice between them. */
export function SettingConflict({
  dictionary,
  settings,
  mine,
  isSaving,
  onKeepMine,
  onTakeOther,
}: SettingConflictProps) {
  const by =
    settings.source === 'device'
      ? 'at the device'
      : settings.source === 'template'
        ? 'by a template'
        : 'by someone else'
  const now = new Map(settings.values.map(({ key, desired }) => [key, desired]))
  const text = (key: string, value: Scalar | null | undefined) =>
    value === null || value === undefined ? 'Not set' : formatValue(dictionary, key, value)
  return (
    <Alert
      color="yellow"
      icon={<Icon name="alert" />}
      title={`These settings were changed ${by} meanwhile`}
      role="alert"
    >
      <Text size="sm">Your changes are not saved yet.</Text>
      <Table aria-label="Both versions" my="xs" withRowBorders={false} verticalSpacing={2} w="auto">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Setting</Table.Th>
            <Table.Th>Yours</Table.Th>
            <Table.Th>Now</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.entries(mine).map(([key, value]) => (
            <Table.Tr key={key}>
              <Table.Td>{labelOf(dictionary, key)}</Table.Td>
              <Table.Td fw={600}>{text(key, value)}</Table.Td>
              <Table.Td fw={600}>{text(key, now.get(key))}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onTakeOther}>
          Keep what is there now
        </Button>
        <Button size="xs" onClick={onKeepMine} loading={isSaving}>
          Save mine
        </Button>
      </Group>
    </Alert>
  )
}
