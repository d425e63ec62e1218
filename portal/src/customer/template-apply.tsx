import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import { type ApiError, sentenceOf } from '../api/http.ts'
import { type Device, deviceName } from '../api/organization.ts'
import type { SettingTemplate } from '../api/settings.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { Failure, Loading } from '../components/page/page.tsx'
import { Done, devicesText } from './device-amount.tsx'
import { type PartResult, useInParts } from './in-parts.ts'
import { readMatching } from './select-matching.ts'
import { placeOf } from './template-place.ts'

/** Shows how many devices differ, and changes them. */
export function ApplyTemplate({ template, onClose }: { template: SettingTemplate; onClose: () => void }) {
  const api = useApi()
  const [devices, setDevices] = useState<Device[] | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const { model_id, space_id } = template
  useEffect(() => {
    const stopper = new AbortController()
    const query = { model_id, settings: 'differs', ...(space_id ? { space_id } : {}) }
    readMatching(api, query, { signal: stopper.signal, onLoaded: () => {} })
      .then(setDevices)
      .catch((cause: ApiError) => stopper.signal.aborted || setError(cause))
    return () => stopper.abort()
  }, [api, model_id, space_id])
  return (
    <Dialog title={`Apply the template for ${template.model_name}, ${placeOf(template)}`} onClose={onClose}>
      {error ? (
        <Failure error={error} />
      ) : devices === null ? (
        <Loading rows={2} />
      ) : (
        <ApplyTo template={template} devices={devices} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface ApplyToProps {
  template: SettingTemplate
  devices: Device[]
  onClose: () => void
}

function ApplyTo({ template, devices, onClose }: ApplyToProps) {
  const api = useApi()
  const { run, done } = useInParts()
  const [failed, setFailed] = useState<PartResult[]>([])
  const apply = useChange<void, PartResult[]>({
    run: () =>
      run(devices, async (part) => {
        const { results } = await api.send('POST /core/v1/organization/setting-templates/{id}/apply', {
          id: template.id,
          body: { device_ids: part.map(({ id }) => id) },
        })
        return results.map(({ error }) => error ?? null)
      }),
    invalidates: ['GET /core/v1/organization/devices'],
    done: (results) => {
      const without = results.filter(({ error }) => error !== null)
      setFailed(without)
      if (without.length === 0) onClose()
      const changed = results.length - without.length
      return changed > 0 ? `Template applied to ${devicesText(changed)}.` : undefined
    },
    silent: true,
  })
  if (devices.length === 0) {
    return (
      <Stack gap="sm">
        <Text size="sm">All devices of this model already have these settings.</Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    )
  }
  return (
    <Stack gap="sm">
      {failed.length === 0 ? (
        <Text size="sm">
          {devicesText(devices.length)} {devices.length === 1 ? 'differs' : 'differ'} and{' '}
          {devices.length === 1 ? 'gets' : 'get'} the settings of this template. Devices that are offline get them when
          they are back.
        </Text>
      ) : (
        <Stack gap={4} mah={320} style={{ overflowY: 'auto' }} role="alert">
          <Text size="sm" fw={600}>
            {devicesText(failed.length)} could not be changed
          </Text>
          {failed.map(({ device, error }) => (
            <Text key={device.id} size="sm">
              <strong>{deviceName(device)}</strong>: {error}
            </Text>
          ))}
        </Stack>
      )}
      <Done done={done} of={devices.length} />
      {apply.error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {sentenceOf(apply.error)}
        </Text>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {failed.length > 0 ? 'Close' : 'Cancel'}
        </Button>
        {failed.length === 0 && (
          <Button loading={apply.isPending} onClick={() => apply.mutate()}>
            Apply to {devicesText(devices.length)}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
