import { Button, Group, Input, Radio, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Icon } from '../page/icon.tsx'
import {
  type Area,
  type Asked,
  areaLabels,
  areas,
  choicesOf,
  type Levels,
  levelsOf,
  type PermissionValues,
  type Place,
  type Preset,
  presetOf,
} from './permissions.ts'
import { SpacePicker } from './space-picker.tsx'

interface PermissionFieldsProps {
  /** `{permissions, within}`, as the service returns them; `permissionsToSend(value)` is what it takes. */
  value: PermissionValues
  /** With what changed: `form.setValues` of a form that has both. */
  onChange: (changes: Partial<PermissionValues>) => void
  /** `form.errors`, for what the service refuses. */
  errors?: Record<string, ReactNode>
  /** What an application asks for: no more is offered, and its reasons stand beside each. Left out for an API key. */
  asked?: Asked
}

/** What an API key or an application may do, and in which spaces of the customer. */
export function PermissionFields({ value, onChange, errors = {}, asked = null }: PermissionFieldsProps) {
  return (
    <>
      <LevelFields value={value} onChange={onChange} errors={errors} asked={asked} />
      <PlaceFields value={value} onChange={onChange} errors={errors} />
    </>
  )
}

type PartProps = Required<Omit<PermissionFieldsProps, 'asked'>>

function LevelFields({ value: { permissions }, onChange, errors, asked }: PartProps & { asked: Asked }) {
  const [preset, setPreset] = useState<Preset>(() => presetOf(permissions, asked))
  const set = (next: Levels | null) => onChange({ permissions: next })
  const choose = (next: string) => {
    setPreset(next as Preset)
    // Null stays everything when an area is added one day; an application may ask for less than everything.
    if (next === 'everything') set(asked === null ? null : levelsOf('everything', asked))
    if (next === 'read') set(levelsOf('read', asked))
    if (next === 'custom') set(permissions ?? levelsOf('everything', asked))
  }
  return (
    <>
      <Radio.Group label="What it may do" value={preset} onChange={choose} error={errors.permissions}>
        <Stack gap={8} mt="xs">
          <Radio
            value="everything"
            label={asked === null ? 'Everything' : 'Everything it asks for'}
            description={asked === null ? 'All but commands to devices' : undefined}
          />
          <Radio value="read" label="Read only" />
          <Radio value="custom" label="Custom" />
        </Stack>
      </Radio.Group>
      {preset === 'custom' && permissions && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
          {areas.map((area) => (
            <LevelField
              key={area}
              area={area}
              asked={asked}
              value={permissions[area]}
              onChange={(level) => set({ ...permissions, [area]: level })}
            />
          ))}
        </SimpleGrid>
      )}
    </>
  )
}

interface LevelFieldProps {
  area: Area
  asked: Asked
  value: string
  onChange: (level: string) => void
}

function LevelField({ area, asked, value, onChange }: LevelFieldProps) {
  const choices = choicesOf(area, asked)
  return (
    <Select
      label={areaLabels[area]}
      description={asked?.[area]?.reason ?? (choices.length === 1 ? 'Not asked for' : undefined)}
      data={choices}
      value={value}
      disabled={choices.length === 1}
      allowDeselect={false}
      onChange={(level) => level && onChange(level)}
    />
  )
}

function PlaceFields({ value: { permissions, within }, onChange, errors }: PartProps) {
  // Whoever tries "everywhere" and goes back finds the spaces again.
  const [chosen, setChosen] = useState<Place[]>(within ?? [])
  const set = (next: Place[] | null) => {
    if (next !== null) setChosen(next)
    onChange({ within: next })
  }
  return (
    <>
      <Radio.Group
        label="Where"
        value={within === null ? 'everywhere' : 'spaces'}
        onChange={(next) => set(next === 'everywhere' ? null : chosen)}
      >
        <Stack gap={8} mt="xs">
          <Radio value="everywhere" label="Everywhere in this organization" />
          <Radio value="spaces" label="Only in some spaces, with everything below them" />
        </Stack>
      </Radio.Group>
      {within !== null && <Places value={within} onChange={set} error={errors.within} />}
      {within !== null && permissions?.people !== 'none' && (
        <Text size="xs" c="dimmed">
          People are in no space: what it may do with them counts for the whole organization.
        </Text>
      )}
    </>
  )
}

interface PlacesProps {
  value: Place[]
  onChange: (places: Place[]) => void
  error: ReactNode
}

function Places({ value, onChange, error }: PlacesProps) {
  const add = (id: string | null, name: string) => {
    if (id && !value.some((place) => place.id === id)) onChange([...value, { id, name }])
  }
  return (
    <Input.Wrapper error={error}>
      <Stack gap="xs" mb={error ? 5 : 0}>
        {value.length > 0 && (
          <Stack gap={4} component="ul" className="plain-list" aria-label="Chosen spaces">
            {value.map((place) => (
              <ChosenPlace
                key={place.id}
                place={place}
                onRemove={() => onChange(value.filter(({ id }) => id !== place.id))}
              />
            ))}
          </Stack>
        )}
        <SpacePicker
          // Anew with each, so that the field is empty for the next.
          key={value.length}
          aria-label="Add a space"
          placeholder={value.length === 0 ? 'Search for a space' : 'Add another space'}
          value={null}
          onChange={(id, option) => add(id, option?.label ?? '')}
        />
      </Stack>
    </Input.Wrapper>
  )
}

function ChosenPlace({ place: { name }, onRemove }: { place: Place; onRemove: () => void }) {
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="xs">
      <Text size="sm" c={name === null ? 'var(--mantine-color-error)' : undefined} style={{ overflowWrap: 'anywhere' }}>
        {name ?? 'A deleted space, which covers nothing'}
      </Text>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        onClick={onRemove}
        aria-label={`Remove ${name ?? 'the deleted space'}`}
      >
        <Icon name="close" size={14} />
      </Button>
    </Group>
  )
}
