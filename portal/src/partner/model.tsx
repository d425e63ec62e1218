import { Anchor, Button, Group, NumberInput, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { HardwareKey, Model as ModelData } from '../api/partner.ts'
import { CodeBlock, Copied } from '../parts/copy.tsx'
import { Fact } from '../parts/fact.tsx'
import { FormFailure, fieldErrors } from '../parts/form.tsx'
import { Page, Panel, Shown } from '../parts/page.tsx'
import { HardwareKeys } from './hardware-keys.tsx'

export function Model() {
  const { partnerId, modelId = '' } = useParams()
  const [search, setSearch] = useSearchParams()
  const model = useRead<ModelData>(`/models/${modelId}`)
  const keys = useRead<{ items: HardwareKey[] }>(`/models/${modelId}/hardware-keys`)
  const first = keys.data?.items.find(({ revoked_at }) => !revoked_at)?.hardware_key
  return (
    <Shown of={model}>
      {(data) => (
        <Page title={data.name} above={[{ label: 'Models', to: `/partner/${partnerId}/models` }]}>
          <Group gap="xl" className="facts">
            <Fact label="Model ID">
              <Copied value={data.id} label="Copy model ID" />
            </Fact>
            <Fact label="Authentication method">{data.authentication_method}</Fact>
            <Fact label="Devices">
              <Anchor component={Link} to={`/partner/${partnerId}/devices?model_id=${data.id}`} size="sm">
                Fleet of this model
              </Anchor>
            </Fact>
          </Group>
          <Tabs
            value={search.get('tab') ?? 'register'}
            onChange={(tab) => setSearch(tab ? { tab } : {}, { replace: true })}
            keepMounted={false}
          >
            <Tabs.List mb="md">
              <Tabs.Tab value="register">Register a device</Tabs.Tab>
              <Tabs.Tab value="hardware-keys">Hardware Keys</Tabs.Tab>
              <Tabs.Tab value="settings">Settings</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="register">
              <Register model={data} hardwareKey={first} />
            </Tabs.Panel>
            <Tabs.Panel value="hardware-keys">
              <Shown of={keys}>{({ items }) => <HardwareKeys model={data} keys={items} />}</Shown>
            </Tabs.Panel>
            <Tabs.Panel value="settings">
              <Settings model={data} />
            </Tabs.Panel>
          </Tabs>
        </Page>
      )}
    </Shown>
  )
}

function Register({ model, hardwareKey }: { model: ModelData; hardwareKey: string | undefined }) {
  const key = hardwareKey ?? '<add a hardware key first>'
  return (
    <Panel title="Register a device and send its state">
      <Stack gap="sm">
        <Text size="sm">Once for each device, from your cloud. Store id, access_key and hub_url of the answer:</Text>
        <CodeBlock
          code={`curl ${location.origin}/v1/devices -H 'Content-Type: application/json' -d '{
  "device_model": "${model.id}",
  "hardware_key": "${key}",
  "mac": "00:1b:44:11:3a:b7",
  "sn": "SN-1001",
  "firmware_version": "1.0.0"
}'`}
        />
        <Text size="sm">Then every 30 to 60 seconds, and whenever something changes:</Text>
        <CodeBlock
          code={`curl "$HUB_URL/v1/devices/$DEVICE_ID/telemetry" -H 'Content-Type: application/json' \\
  -H "Authorization: $ACCESS_KEY" \\
  -d '{"status": "online", "telemetries": {"temperature": 21.5, "occupied": true}}'`}
        />
        <Text size="sm" c="dimmed">
          Answered 200 once it is committed. Many devices in one call, and MQTT: see the API reference.
        </Text>
      </Stack>
    </Panel>
  )
}

function Settings({ model }: { model: ModelData }) {
  const api = useApi()
  const [name, setName] = useState(model.name)
  const [seconds, setSeconds] = useState<number | string>(model.offline_after_seconds)
  const save = useChange({
    run: () => api.patch(`/models/${model.id}`, { name, offline_after_seconds: Number(seconds) }),
    touches: ['/models'],
    done: () => 'Saved.',
    quiet: true,
  })
  const errors = fieldErrors(save.error)
  return (
    <Panel title="Settings">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack gap="sm" maw={420}>
          <TextInput
            label="Model name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.name}
            required
          />
          <NumberInput
            label="Offline after"
            description="Seconds of silence after which a device counts as offline"
            suffix=" s"
            min={10}
            max={604_800}
            value={seconds}
            onChange={setSeconds}
            error={errors.offline_after_seconds}
          />
          <FormFailure error={save.error} />
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
