import { Button, Modal, NumberInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Model } from '../api/partner.ts'
import { Copied } from '../parts/copy.tsx'
import { FormFailure, fieldErrors } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { ListTable } from '../parts/list-table.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'

/** Spec 2.4: the one value this connector takes. */
const method = 'MAC & Serial Number'

export function Models() {
  const { partnerId } = useParams()
  const list = usePages<Model>('/models')
  const [creating, setCreating] = useState(false)
  const create = (
    <Button leftSection={<Icon name="add" />} onClick={() => setCreating(true)}>
      New model
    </Button>
  )
  return (
    <Page
      title="Models"
      about="A product, a family or a single SKU. Its id and one of its hardware keys let a device register."
      actions={create}
    >
      <ListTable
        list={list}
        label="Models"
        rowKey={({ id }) => id}
        columns={[
          { label: 'Name', cell: ({ id, name }) => <Link to={`/partner/${partnerId}/models/${id}`}>{name}</Link> },
          { label: 'Model ID', wide: true, cell: ({ id }) => <Copied value={id} label="Copy model ID" /> },
          { label: 'Authentication', wide: true, cell: ({ authentication_method }) => authentication_method },
          { label: 'Offline after', cell: ({ offline_after_seconds }) => `${offline_after_seconds} s` },
          { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
        ]}
        empty={
          <Empty icon="device" title="No models yet" action={create}>
            Make one for your first product. It is born with a hardware key, and you can register a device right away.
          </Empty>
        }
      />
      {creating && <NewModel onClose={() => setCreating(false)} />}
    </Page>
  )
}

function NewModel({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const navigate = useNavigate()
  const { partnerId } = useParams()
  const [name, setName] = useState('')
  const [seconds, setSeconds] = useState<number | string>(120)
  const create = useChange({
    run: () =>
      api.post<Model>('/models', { name, authentication_method: method, offline_after_seconds: Number(seconds) }),
    touches: ['/models'],
    done: ({ id }) => {
      void navigate(`/partner/${partnerId}/models/${id}?tab=hardware-keys`)
      return `${name} was created, with its first hardware key.`
    },
    quiet: true,
  })
  const errors = fieldErrors(create.error)
  return (
    <Modal opened onClose={onClose} title="New model" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Model name"
            placeholder="Thermostat T2"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.name}
            required
            data-autofocus
          />
          <TextInput label="Authentication method" value={method} readOnly description="The one this connector uses" />
          <NumberInput
            label="Offline after"
            description="Seconds of silence after which a device counts as offline; a device sends every 30 to 60"
            suffix=" s"
            min={10}
            max={604_800}
            value={seconds}
            onChange={setSeconds}
            error={errors.offline_after_seconds}
          />
          <FormFailure error={create.error} />
          <Button type="submit" loading={create.isPending}>
            Create model
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
