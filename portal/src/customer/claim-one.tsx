import { Alert, Anchor, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi, useChange } from '../api/api.tsx'
import type { Device, Model, Space } from '../api/organization.ts'
import { FormFailure, useFields } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { normalMac } from '../components/mac.ts'
import { spaceOptions } from './space-tree.ts'

/** What is on the label, as it is: the form says how it understood the MAC before anything is sent. */
export function ClaimOne({ models, spaces }: { models: Model[]; spaces: Space[] }) {
  const api = useApi()
  const { customerId } = useParams()
  const [form, fieldsOf, setForm] = useFields({
    mac: '',
    sn: '',
    model_id: models.length === 1 ? models[0]!.id : null,
    name: '',
    space_id: null as string | null,
  })
  const [claimed, setClaimed] = useState<Device | null>(null)
  const mac = normalMac(form.mac)
  const claim = useChange({
    run: () =>
      api.post<Device>('/devices/claim', {
        mac,
        sn: form.sn.trim(),
        model_id: form.model_id,
        ...(form.name.trim() ? { name: form.name.trim() } : {}),
        ...(form.space_id ? { space_id: form.space_id } : {}),
      }),
    touches: ['/devices', '/info'],
    done: (device) => {
      setClaimed(device)
      setForm({ ...form, mac: '', sn: '', name: '' })
      return 'The device is yours.'
    },
    quiet: true,
  })
  const field = fieldsOf(claim.error)
  const misread = form.mac.replace(/[^0-9a-f]/gi, '').length >= 12 && !mac
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (mac) claim.mutate()
      }}
    >
      <Stack gap="sm" maw={460}>
        {claimed && (
          <Alert color="green" icon={<Icon name="check" />} title="Claimed" role="status">
            <Anchor component={Link} to={`/customer/${customerId}/devices/${claimed.id}`} size="sm">
              Open {claimed.name ?? `the device ${claimed.sn}`}
            </Anchor>
            <Text size="sm">Or enter the next one below.</Text>
          </Alert>
        )}
        <Select
          label="Model"
          placeholder="Choose the model on the label"
          data={models.map(({ id, name }) => ({ value: id, label: name }))}
          {...field('model_id')}
          searchable
          required
        />
        <TextInput
          label="MAC address"
          placeholder="AA:BB:CC:DD:EE:FF"
          description={
            mac && mac !== form.mac ? (
              <>
                Read as <strong>{mac}</strong>
              </>
            ) : (
              'Any common form: with colons, dashes, dots or nothing between'
            )
          }
          {...field('mac')}
          {...(misread ? { error: 'A MAC has 12 hexadecimal digits' } : {})}
          ff="monospace"
          autoComplete="off"
          spellCheck={false}
          required
        />
        <TextInput label="Serial number" {...field('sn')} autoComplete="off" spellCheck={false} required />
        <TextInput label="Name" description="Optional; you can rename it later" {...field('name')} />
        <Select
          label="Space"
          description="Optional"
          placeholder="No space"
          data={spaceOptions(spaces)}
          {...field('space_id')}
          clearable
          searchable
        />
        <FormFailure error={claim.error} />
        {claim.error?.code === 'claim_failed' && (
          <Text size="sm" c="dimmed">
            Check MAC, serial number and model against the label. The device must have been registered by its partner’s
            cloud (it does that when it first goes online), and not be claimed by anyone yet.
          </Text>
        )}
        <Group>
          <Button type="submit" loading={claim.isPending} disabled={!mac || !form.sn.trim() || !form.model_id}>
            Claim device
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
