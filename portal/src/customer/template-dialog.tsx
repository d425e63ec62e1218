import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import { ApiError, sentenceOf } from '../api/http.ts'
import type { SettingTemplate } from '../api/settings.ts'
import { useDictionary } from '../components/device/dictionary.ts'
import { ModelPicker } from '../components/device/model-picker.tsx'
import { Dialog } from '../components/form/dialog.tsx'
import { fieldMessage } from '../components/form/field-message.ts'
import { SpacePicker } from '../components/form/space-picker.tsx'
import { Loading } from '../components/page/page.tsx'
import { SettingField } from '../components/setting/setting-field.tsx'
import { type Scalar, settingProblem, settingValue, type Typed, typedOf } from '../components/setting/setting-values.ts'
import { placeOf } from './template-place.ts'

interface TemplateDialogProps {
  /** Left out for a new one. */
  template?: SettingTemplate
  onClose: () => void
}

export function TemplateDialog({ template, onClose }: TemplateDialogProps) {
  const [modelId, setModelId] = useState<string | null>(template?.model_id ?? null)
  const [spaceId, setSpaceId] = useState<string | null>(template?.space_id ?? null)
  const title = template ? `Edit the template for ${template.model_name}, ${placeOf(template)}` : 'New template'
  return (
    <Dialog title={title} onClose={onClose} closeOnClickOutside={false}>
      <Stack gap="sm">
        {!template && (
          <>
            <ModelPicker label="Model" required value={modelId} onChange={setModelId} data-autofocus />
            <SpacePicker
              label="Space"
              description="With everything below it. Of several templates the one of the nearest space counts."
              placeholder="Everywhere"
              clearable
              value={spaceId}
              onChange={setSpaceId}
            />
          </>
        )}
        {modelId ? (
          <TemplateFields key={modelId} {...{ template, modelId, spaceId, onClose }} />
        ) : (
          <Text size="sm" c="dimmed">
            Choose a model to see what can be set.
          </Text>
        )}
      </Stack>
    </Dialog>
  )
}

interface TemplateFieldsProps {
  template: SettingTemplate | undefined
  modelId: string
  spaceId: string | null
  onClose: () => void
}

function TemplateFields({ template, modelId, spaceId, onClose }: TemplateFieldsProps) {
  const api = useApi()
  const dictionary = useDictionary(modelId)
  const [typed, setTyped] = useState<Record<string, Typed>>({})
  const [problems, setProblems] = useState<Record<string, string>>({})
  const save = useChange<Record<string, Scalar>, SettingTemplate>({
    run: (values) =>
      template
        ? api.send('PATCH /core/v1/organization/setting-templates/{id}', { id: template.id, body: { values } })
        : api.send('POST /core/v1/organization/setting-templates', {
            body: { model_id: modelId, space_id: spaceId, values },
          }),
    invalidates: ['GET /core/v1/organization/setting-templates', 'GET /core/v1/organization/devices'],
    done: () => {
      onClose()
      return 'Template saved. Apply it to change the devices that differ.'
    },
    silent: true,
  })
  if (!dictionary) return <Loading rows={2} />
  const entries = [...dictionary.values()].filter(({ settable }) => settable)
  if (entries.length === 0) return <Text size="sm">Nothing can be set on devices of this model.</Text>
  const enteredIn = (key: string) => typed[key] ?? typedOf(template?.values[key])
  const submit = () => {
    const found = entries.flatMap((entry) => {
      const problem = settingProblem(entry, enteredIn(entry.key))
      return problem ? [[entry.key, problem] as const] : []
    })
    setProblems(Object.fromEntries(found))
    if (found.length > 0) return
    const given = entries.flatMap((entry) => {
      const value = settingValue(entry, enteredIn(entry.key))
      return value === null ? [] : [[entry.key, value] as const]
    })
    save.mutateAsync(Object.fromEntries(given)).catch((error: unknown) => {
      const details = error instanceof ApiError ? error.details : []
      setProblems(
        Object.fromEntries(
          details.map(({ field, message }) => [field.replace(/^values\./, ''), fieldMessage(message)]),
        ),
      )
    })
  }
  const isEmpty = entries.every(({ key }) => enteredIn(key) === '')
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="sm">
        {entries.map((entry) => (
          <SettingField
            key={entry.key}
            entry={entry}
            value={enteredIn(entry.key)}
            error={problems[entry.key]}
            onChange={(value) => setTyped({ ...typed, [entry.key]: value })}
          />
        ))}
        <Text size="xs" c="dimmed">
          What is not set here is left as each device has it.
        </Text>
        {save.error && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {sentenceOf(save.error)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={isEmpty}>
            {template ? 'Save template' : 'Create template'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
