import { Button, Group, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { useApi, useChange, useRead } from '../api/api.tsx'
import { ApiError } from '../api/http.ts'
import type { DeviceWithState } from '../api/organization.ts'
import { useMayThere } from '../api/permitted.ts'
import type { DeviceSetting, DictionaryEntry, DeviceSettings as Settings } from '../api/settings.ts'
import { toDictionary } from '../components/device/data-points.ts'
import { fieldMessage } from '../components/form/field-message.ts'
import { Empty, Loaded, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { type Scalar, settingProblem, settingValue, type Typed, typedOf } from '../components/setting/setting-values.ts'
import { SettingConflict } from './setting-conflict.tsx'
import { SettingLine } from './setting-line.tsx'

interface DeviceSettingsProps {
  device: DeviceWithState
  settable: DictionaryEntry[]
}

/** What the device should have, beside what it reports. */
export function DeviceSettings({ device, settable }: DeviceSettingsProps) {
  const settings = useRead('GET /core/v1/organization/devices/{id}/settings', { id: device.id }, { every: 4_000 })
  return (
    <Panel title="Settings">
      <Loaded of={settings}>
        {(data) => <SettingsForm {...{ device, settable }} settings={data} onReload={settings.refetch} />}
      </Loaded>
    </Panel>
  )
}

type Values = Record<string, Scalar | null>

interface SavedBy {
  values: Values
  base: number
}

interface SettingsFormProps extends DeviceSettingsProps {
  settings: Settings
  onReload: () => Promise<unknown>
}

function SettingsForm(props: SettingsFormProps) {
  const { device, settable, settings } = props
  const mayChange = useMayThere('devices: command', device.space_id)
  const draft = useSettingsDraft(props)
  const known = new Map(settings.values.map((setting) => [setting.key, setting]))
  // Those that the model no longer declares, and are still wanted, come last.
  const entries = [
    ...settable,
    ...settings.values
      .filter(({ key, desired }) => desired !== null && !settable.some((entry) => entry.key === key))
      .map(({ key, desired }) => ({ key, type: typeOf(desired) })),
  ]
  if (entries.length === 0) {
    return (
      <Empty icon="gauge" title="Nothing can be set">
        The partner who makes this model declares which data points can be set.
      </Empty>
    )
  }
  const dictionary = toDictionary(entries)
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" maw={720}>
        What you set here is kept and given to the device whenever it is connected. A change made at the device replaces
        it. <LastChange settings={settings} />
      </Text>
      {draft.conflict && (
        <SettingConflict
          {...{ dictionary, settings }}
          mine={draft.conflict.values}
          isSaving={draft.isSaving}
          onKeepMine={draft.overwrite}
          onTakeOther={draft.discard}
        />
      )}
      <Stack gap={0} component="ul" className="plain-list" aria-label="Settings of this device">
        {entries.map((entry) => (
          <SettingLine
            key={entry.key}
            {...{ entry, dictionary }}
            setting={known.get(entry.key)}
            reported={device.state[entry.key]?.value}
            value={draft.valueOf(entry.key)}
            error={draft.problems[entry.key]}
            onChange={mayChange ? (value) => draft.change(entry.key, value) : null}
          />
        ))}
      </Stack>
      {draft.isChanged && !draft.conflict && (
        <div className="banner">
          <Group justify="space-between" gap="xs">
            <Text size="sm" fw={600} role="status">
              Unsaved changes
            </Text>
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={draft.discard}>
                Discard
              </Button>
              <Button size="xs" onClick={draft.save} loading={draft.isSaving}>
                Save settings
              </Button>
            </Group>
          </Group>
          {draft.problem && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert" mt="xs">
              {draft.problem}
            </Text>
          )}
        </div>
      )}
    </Stack>
  )
}

const typeOf = (value: Scalar | null) =>
  typeof value === 'number'
    ? ('number' as const)
    : typeof value === 'boolean'
      ? ('boolean' as const)
      : ('text' as const)

function LastChange({ settings: { source, changed_at, version } }: { settings: Settings }) {
  if (version === 0 || !changed_at) return null
  const by = { customer: '', device: ' at the device', template: ' by a template' }[source ?? 'customer']
  return (
    <>
      Last changed{by} <When at={changed_at} />.
    </>
  )
}

/** What is changed and not saved yet, with the version on which it is based. */
function useSettingsDraft({ device, settable, settings, onReload }: SettingsFormProps) {
  const api = useApi()
  const [typed, setTyped] = useState<Record<string, Typed>>({})
  const [base, setBase] = useState(0)
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [conflict, setConflict] = useState<{ values: Values } | null>(null)
  const saved = useRef(0)
  const desired = new Map(settings.values.map((setting: DeviceSetting) => [setting.key, setting.desired]))
  const discard = () => {
    setTyped({})
    setProblems({})
    setConflict(null)
    put.reset()
  }
  const put = useChange<SavedBy, Settings>({
    run: ({ values, base }) => {
      const body = { values, base_version: base }
      return api.send('PATCH /core/v1/organization/devices/{id}/settings', { id: device.id, body })
    },
    invalidates: [['GET /core/v1/organization/devices/{id}/settings', { id: device.id }]],
    done: ({ version }) => {
      saved.current = version
      discard()
      return 'Settings saved.'
    },
    undo: ({ values }) => {
      const before = Object.fromEntries(Object.keys(values).map((key) => [key, desired.get(key) ?? null]))
      const body = { values: before, base_version: saved.current }
      return api.send('PATCH /core/v1/organization/devices/{id}/settings', { id: device.id, body })
    },
    silent: true,
  })
  const entryOf = (key: string) => settable.find((entry) => entry.key === key) ?? { key, type: 'text' as const }
  const send = (base: number) => {
    const found = Object.entries(typed).flatMap(([key, value]) => {
      const problem = settingProblem(entryOf(key), value)
      return problem ? [[key, problem] as const] : []
    })
    setProblems(Object.fromEntries(found))
    if (found.length > 0) return
    const values = Object.fromEntries(
      Object.entries(typed).map(([key, value]) => [key, settingValue(entryOf(key), value)]),
    )
    put.mutateAsync({ values, base }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) return
      if (error.code === 'settings_changed') void onReload().then(() => setConflict({ values }))
      setProblems(
        Object.fromEntries(
          error.details.map(({ field, message }) => [field.replace(/^values\./, ''), fieldMessage(message)]),
        ),
      )
    })
  }
  const { error } = put
  return {
    valueOf: (key: string): Typed => typed[key] ?? typedOf(desired.get(key)),
    change: (key: string, value: Typed) => {
      if (Object.keys(typed).length === 0) setBase(settings.version)
      const { [key]: _, ...rest } = typed
      setTyped(value === typedOf(desired.get(key)) ? rest : { ...rest, [key]: value })
      const { [key]: __, ...others } = problems
      setProblems(others)
    },
    isChanged: Object.keys(typed).length > 0,
    save: () => send(base),
    /** Replaces what was changed meanwhile. */
    overwrite: () => {
      setConflict(null)
      send(settings.version)
    },
    discard,
    conflict,
    problems,
    /** What belongs to no field. */
    problem: error && error.code !== 'settings_changed' && error.details.length === 0 ? error.message : null,
    isSaving: put.isPending,
  }
}
