import { Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useApi } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import type { Device } from '../api/organization.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { Failure, Loading } from '../components/page/page.tsx'
import { maxSelected } from '../components/table/selection.ts'
import { CommandMany } from './command-many.tsx'
import { devicesText } from './device-amount.tsx'
import { readMatching } from './select-matching.ts'

/** A command to all devices in a space and below it: those that are there when it is opened. */
export function CommandSpace({ space, onClose }: { space: { id: string; name: string }; onClose: () => void }) {
  const api = useApi()
  const [loaded, setLoaded] = useState(0)
  const [devices, setDevices] = useState<Device[] | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  useEffect(() => {
    const stopper = new AbortController()
    readMatching(api, { space_id: space.id }, { signal: stopper.signal, onLoaded: setLoaded })
      .then(setDevices)
      .catch((cause: ApiError) => stopper.signal.aborted || setError(cause))
    return () => stopper.abort()
  }, [api, space.id])
  if (devices && devices.length > 0) return <CommandMany devices={devices} onClose={onClose} />
  return (
    <Dialog title={`Send a command to ${space.name}`} onClose={onClose}>
      {error ? (
        <Failure error={error} />
      ) : devices ? (
        <Text size="sm">No device is in this space or below it.</Text>
      ) : (
        <Stack gap="xs">
          <Text size="sm" c="dimmed" role="status">
            Reading the devices of this space: {devicesText(loaded)}
            {loaded === maxSelected && ' (maximum)'}
          </Text>
          <Loading rows={2} />
        </Stack>
      )}
    </Dialog>
  )
}
