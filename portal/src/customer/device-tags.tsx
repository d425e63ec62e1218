import { Badge, Button, Group, TagsInput, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useAll, useApi, useChange, useEtag } from '../api/api.tsx'
import type { DeviceWithState } from '../api/organization.ts'
import { useMayThere } from '../api/permitted.ts'
import { FormDialog } from '../components/form/form.tsx'
import { Panel } from '../components/page/page.tsx'

/** What the customer itself says about a device. */
export function DeviceTags({ device }: { device: DeviceWithState }) {
  const { customerId } = useParams()
  const [editing, setEditing] = useState(false)
  const mayChange = useMayThere('devices: manage', device.space_id)
  const { tags, note } = device
  return (
    <Panel
      title="Tags and note"
      actions={
        mayChange && (
          <Button size="xs" variant="default" aria-label="Edit tags and note" onClick={() => setEditing(true)}>
            Edit
          </Button>
        )
      }
    >
      {tags.length === 0 && !note && (
        <Text size="sm" c="dimmed">
          No tags and no note yet. Only your organization sees them.
        </Text>
      )}
      {tags.length > 0 && (
        <Group gap={6} mb={note ? 'xs' : 0}>
          {tags.map((tag) => (
            <Badge
              key={tag}
              component={Link}
              to={`/customer/${customerId}/devices?tag=${encodeURIComponent(tag)}`}
              variant="light"
              size="lg"
              tt="none"
              style={{ cursor: 'pointer' }}
            >
              {tag}
            </Badge>
          ))}
        </Group>
      )}
      {note && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {note}
        </Text>
      )}
      {editing && <EditTags device={device} onClose={() => setEditing(false)} />}
    </Panel>
  )
}

function EditTags({ device, onClose }: { device: DeviceWithState; onClose: () => void }) {
  const api = useApi()
  const etag = useEtag('GET /core/v1/organization/devices/{id}', { id: device.id })
  const known = useAll('GET /core/v1/organization/device-tags').items.map(({ tag }) => tag)
  const form = useForm({ initialValues: { tags: device.tags, note: device.note ?? '' } })
  const save = useChange({
    run: () => {
      // Pasted text may have several of them.
      const tags = form.values.tags.flatMap((text) => text.split(',')).filter((tag) => tag.trim())
      return api.send('PATCH /core/v1/organization/devices/{id}', {
        id: device.id,
        body: { tags, note: form.values.note.trim() || null },
        etag,
      })
    },
    invalidates: ['GET /core/v1/organization/devices', 'GET /core/v1/organization/device-tags'],
    done: () => {
      onClose()
      return 'Tags and note saved.'
    },
    undo: (_input, after) =>
      api.send('PATCH /core/v1/organization/devices/{id}', {
        id: device.id,
        body: { tags: device.tags, note: device.note },
        etag: after,
      }),
    silent: true,
  })
  return (
    <FormDialog
      form={form}
      title="Tags and note"
      verb="Save"
      ready={etag !== undefined}
      change={save}
      onClose={onClose}
    >
      <Text size="sm">Only your organization sees them, not the maker of the device.</Text>
      <TagsInput
        label="Tags"
        description="Press Enter or comma after each tag. Up to 20 tags."
        data={known}
        maxTags={20}
        maxLength={40}
        splitChars={[',']}
        acceptValueOnBlur
        // The suggestions would cover the note.
        openOnFocus={false}
        {...form.getInputProps('tags')}
        data-autofocus
      />
      <Textarea label="Note" maxLength={2_000} autosize minRows={3} maxRows={12} {...form.getInputProps('note')} />
    </FormDialog>
  )
}
