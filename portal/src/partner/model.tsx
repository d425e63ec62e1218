import { Anchor, Box, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Link, useParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { DictionaryEntry, Model as ModelData } from '../api/partner.ts'
import { useDictionary } from '../components/device/dictionary.ts'
import { Form } from '../components/form/form.tsx'
import { AddressTabs } from '../components/page/address-tabs.tsx'
import { CodeBlock, Copied } from '../components/page/copy.tsx'
import { Fact, Loaded, Page, Panel } from '../components/page/page.tsx'
import { Commands } from './commands.tsx'
import { Dictionary } from './dictionary.tsx'
import { useHiddenKey } from './hardware-key.tsx'
import { HardwareKeys } from './hardware-keys.tsx'
import { OfflineAfter } from './models.tsx'
import { usualValue } from './simulated-model.ts'

export function Model() {
  const { partnerId, modelId = '' } = useParams()
  const model = useRead('GET /core/v1/partner/models/{id}', { id: modelId })
  const keys = useRead('GET /core/v1/partner/models/{id}/hardware-keys', { id: modelId })
  const first = keys.data?.items.find(({ revoked_at }) => !revoked_at)?.hardware_key
  return (
    <Loaded of={model}>
      {(data) => (
        <Page title={data.name} above={[{ label: 'Models', to: `/partner/${partnerId}/models` }]}>
          <Group gap="xl" className="facts">
            <Fact label="Model ID">
              <Copied value={data.id} label="Copy model ID" />
            </Fact>
            <Fact label="Authentication method">{data.authentication_method}</Fact>
            <Fact label="Devices">
              <Anchor component={Link} to={`/partner/${partnerId}/devices?model_id=${data.id}`} size="sm">
                Show devices
              </Anchor>
            </Fact>
          </Group>
          <AddressTabs
            tabs={[
              {
                value: 'register',
                label: 'Register a device',
                content: <Register model={data} hardwareKey={first} />,
              },
              {
                value: 'hardware-keys',
                label: 'Hardware Keys',
                content: <Loaded of={keys}>{({ items }) => <HardwareKeys model={data} keys={items} />}</Loaded>,
              },
              { value: 'dictionary', label: 'Data dictionary', content: <Dictionary key={data.id} model={data} /> },
              { value: 'commands', label: 'Commands', content: <Commands key={data.id} model={data} /> },
              { value: 'settings', label: 'Settings', content: <Settings model={data} /> },
            ]}
          />
        </Page>
      )}
    </Loaded>
  )
}

function Register({ model, hardwareKey }: { model: ModelData; hardwareKey: string | undefined }) {
  const { shown, button } = useHiddenKey(hardwareKey ?? '')
  const dictionary = useDictionary(model.id)
  const telemetries = exampleOf(dictionary ? [...dictionary.values()] : [])
  return (
    <Panel title="Register a device and send its state">
      <Stack gap="sm">
        <Text size="sm">Once per device, from your cloud. Store id, access_key and hub_url of the response:</Text>
        {hardwareKey ? (
          <CodeBlock code={registerCode(model, hardwareKey)} shown={registerCode(model, shown)}>
            {button}
          </CodeBlock>
        ) : (
          <CodeBlock code={registerCode(model, '<add a hardware key first>')} />
        )}
        <Text size="sm">Then every 30 to 60 seconds, and whenever something changes:</Text>
        <CodeBlock
          code={`curl "$HUB_URL/v1/devices/$DEVICE_ID/telemetry" -H 'Content-Type: application/json' \\
  -H "Authorization: $ACCESS_KEY" \\
  -d '${JSON.stringify({ status: 'online', telemetries }).replaceAll("'", "'\\''")}'`}
        />
        <Text size="sm" c="dimmed">
          Status 200 means that it is stored. For many devices in one request, and for MQTT, see the API reference. The
          data points of this model are in its <OpenApiLink model={model} />.
        </Text>
      </Stack>
    </Panel>
  )
}

function registerCode(model: ModelData, hardwareKey: string): string {
  return `curl ${location.origin}/v1/devices -H 'Content-Type: application/json' -d '{
  "device_model": "${model.id}",
  "hardware_key": "${hardwareKey}",
  "mac": "00:1b:44:11:3a:b7",
  "sn": "SN-1001",
  "firmware_version": "1.0.0"
}'`
}

/** A few data points of the dictionary, or of a room. */
function exampleOf(entries: DictionaryEntry[]): object {
  if (entries.length === 0) return { temperature: 21.5, occupied: true }
  return Object.fromEntries(entries.slice(0, 3).map((entry) => [entry.key, usualValue(entry)]))
}

function OpenApiLink({ model }: { model: ModelData }) {
  const api = useApi()
  const save = useChange({
    run: () => api.save('GET /core/v1/partner/models/{id}/openapi.json', { id: model.id }, 'openapi.json'),
  })
  return (
    <Anchor component="button" type="button" size="sm" onClick={() => save.mutate()}>
      OpenAPI document
    </Anchor>
  )
}

function Settings({ model }: { model: ModelData }) {
  const api = useApi()
  const form = useForm({
    initialValues: { name: model.name, offline_after_seconds: model.offline_after_seconds },
  })
  const save = useChange({
    run: () => api.send('PATCH /core/v1/partner/models/{id}', { id: model.id, body: form.values }),
    invalidates: ['GET /core/v1/partner/models'],
    done: () => 'Saved.',
    silent: true,
  })
  return (
    <Panel title="Settings">
      <Box maw={420}>
        <Form form={form} verb="Save" change={save}>
          <TextInput label="Model name" {...form.getInputProps('name')} required />
          <OfflineAfter {...form.getInputProps('offline_after_seconds')} />
        </Form>
      </Box>
    </Panel>
  )
}
