import { NumberInput, ScrollArea, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { DictionaryEntry } from '../api/partner.ts'
import type { SimulatedModel } from './simulated-model.ts'

/** One field per data point of the dictionary; what is set is sent with the next message. */
export function SimulatedValues({ model }: { model: SimulatedModel }) {
  const [varies, setVaries] = useState(model.varies)
  return (
    <Stack gap="xs">
      <ScrollArea.Autosize mah={320} type="auto" viewportProps={{ tabIndex: 0, 'aria-label': 'Values to send' }}>
        <Stack gap="xs" pr="sm">
          {model.entries.map((entry) => (
            <ValueField key={entry.key} entry={entry} model={model} />
          ))}
        </Stack>
      </ScrollArea.Autosize>
      <Switch
        label="Vary numbers a little"
        checked={varies}
        onChange={(event) => {
          model.varies = event.currentTarget.checked
          setVaries(model.varies)
        }}
      />
    </Stack>
  )
}

function ValueField({ entry, model }: { entry: DictionaryEntry; model: SimulatedModel }) {
  const { key, type, unit, values = [] } = entry
  const label = entry.label ?? key
  const [value, setValue] = useState(model.get(key))
  const set = (next: typeof value) => {
    model.set(key, next)
    setValue(next)
  }
  if (type === 'boolean') {
    const meaning = values.find((known) => known.value === value)?.label ?? String(value)
    return (
      <Switch
        label={`${label}: ${meaning}`}
        checked={value === true}
        onChange={(event) => set(event.currentTarget.checked)}
      />
    )
  }
  if (values.length > 0) {
    return (
      <Select
        label={label}
        data={values.map((known) => ({ value: String(known.value), label: known.label ?? String(known.value) }))}
        value={String(value)}
        onChange={(next) => {
          const known = values.find((one) => String(one.value) === next)
          if (known) set(known.value)
        }}
        allowDeselect={false}
      />
    )
  }
  if (type === 'text') {
    return <TextInput label={label} value={String(value)} onChange={(event) => set(event.currentTarget.value)} />
  }
  return (
    <NumberInput
      label={label}
      value={value as number}
      onChange={(next) => {
        if (typeof next === 'number') set(next)
      }}
      {...(unit ? { suffix: ` ${unit}` } : {})}
    />
  )
}
