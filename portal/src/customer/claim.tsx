import { Alert, Anchor, Box, SegmentedControl, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useAll, useApi, useChange } from '../api/api.tsx'
import type { Device } from '../api/organization.ts'
import { useWithin } from '../api/permitted.ts'
import { ModelPicker } from '../components/device/model-picker.tsx'
import { Form } from '../components/form/form.tsx'
import { SpacePicker } from '../components/form/space-picker.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Page, Panel } from '../components/page/page.tsx'
import { LoadedList } from '../components/table/list.tsx'
import { parseMac } from './claim-lines.ts'
import { listStorage } from './claim-list.ts'
import { ClaimMany } from './claim-many.tsx'

export function Claim() {
  const [search, setSearch] = useSearchParams()
  const { customerId } = useParams()
  const many = search.get('from') === 'list'
  const [unfinished] = useState(() => listStorage(customerId!).list() !== null)
  const models = useAll('GET /core/v1/organization/models')
  const spaces = useAll('GET /core/v1/organization/spaces')
  return (
    <Page
      title="Claim devices"
      about="A device registers through its partner’s cloud. Enter what is on its label to add it to your organization."
      actions={
        <SegmentedControl
          aria-label="How many"
          value={many ? 'list' : 'one'}
          onChange={(value) => setSearch(value === 'list' ? { from: 'list' } : {}, { replace: true })}
          data={[
            { value: 'one', label: 'One device' },
            { value: 'list', label: 'List or CSV' },
          ]}
        />
      }
    >
      {unfinished && !many && (
        <Alert icon={<Icon name="clock" />} p="xs">
          A list was not finished in this browser.{' '}
          <Anchor component={Link} to="?from=list" inherit underline="always">
            Continue with the list
          </Anchor>
        </Alert>
      )}
      <Panel>
        <LoadedList
          list={models}
          empty={
            <Empty icon="device" title="No device models yet">
              Devices can be claimed once a partner has added its models in the partner portal.
            </Empty>
          }
        >
          {(items) =>
            many ? (
              <ClaimMany
                key={customerId}
                models={items}
                spaces={spaces.items}
                loading={isIncomplete(models) || isIncomplete(spaces)}
              />
            ) : (
              <ClaimOne onlyModel={items.length === 1 ? items[0]!.id : null} />
            )
          }
        </LoadedList>
      </Panel>
    </Page>
  )
}

const isIncomplete = ({ isPending, hasNextPage }: { isPending: boolean; hasNextPage: boolean }) =>
  isPending || hasNextPage

function ClaimOne({ onlyModel }: { onlyModel: string | null }) {
  const api = useApi()
  const { customerId } = useParams()
  const form = useForm({
    initialValues: {
      mac: '',
      sn: '',
      model_id: onlyModel,
      name: '',
      space_id: null as string | null,
    },
  })
  const [claimed, setClaimed] = useState<Device | null>(null)
  // Who manages the devices of some spaces claims into these.
  const everywhere = useWithin('devices: manage') === null
  const { sn, model_id, name, space_id } = form.values
  const mac = parseMac(form.values.mac)
  const claim = useChange({
    run: () =>
      api.send('POST /core/v1/organization/devices/claim', {
        body: {
          mac: mac!,
          sn: sn.trim(),
          model_id: model_id!,
          ...(name.trim() ? { name: name.trim() } : {}),
          ...(space_id ? { space_id } : {}),
        },
      }),
    invalidates: ['GET /core/v1/organization/devices', 'GET /core/v1/organization/info'],
    done: (device) => {
      setClaimed(device)
      form.setValues({ mac: '', sn: '', name: '' })
      return 'Device claimed.'
    },
    silent: true,
  })
  const [macLeft, setMacLeft] = useState(false)
  const complete = macLeft || form.values.mac.replace(/[^0-9a-f]/gi, '').length >= 12
  const invalidMac = complete && form.values.mac.trim() !== '' && !mac
  return (
    <Box maw={460}>
      <Form
        form={form}
        verb="Claim device"
        change={claim}
        ready={mac !== null && sn.trim() !== '' && model_id !== null && (everywhere || space_id !== null)}
      >
        {claimed && (
          <Alert color="green" icon={<Icon name="check" />} title="Claimed" role="status">
            <Anchor component={Link} to={`/customer/${customerId}/devices/${claimed.id}`} size="sm">
              Open {claimed.name ?? `device ${claimed.sn}`}
            </Anchor>
            <Text size="sm">Or enter the next one below.</Text>
          </Alert>
        )}
        <ModelPicker
          label="Model"
          placeholder="Choose the model on the label"
          {...form.getInputProps('model_id')}
          required
        />
        <TextInput
          label="MAC address"
          placeholder="AA:BB:CC:DD:EE:FF"
          description={
            mac && mac !== form.values.mac ? (
              <>
                Read as <strong>{mac}</strong>
              </>
            ) : (
              'With colons, dashes, dots or no separators'
            )
          }
          {...form.getInputProps('mac')}
          {...(invalidMac ? { error: 'A MAC address has 12 hexadecimal digits' } : {})}
          onFocus={() => setMacLeft(false)}
          onBlur={() => setMacLeft(true)}
          ff="monospace"
          autoComplete="off"
          spellCheck={false}
          required
        />
        <TextInput label="Serial number" {...form.getInputProps('sn')} autoComplete="off" spellCheck={false} required />
        <TextInput label="Name" description="Optional; you can rename it later" {...form.getInputProps('name')} />
        <SpacePicker
          label="Space"
          {...(everywhere
            ? { description: 'Optional', placeholder: 'No space' }
            : { required: true, placeholder: 'Choose a space' })}
          {...form.getInputProps('space_id')}
          clearable={everywhere}
        />
        {claim.error?.code === 'claim_failed' && (
          <Text size="sm" c="dimmed">
            Check MAC, serial number and model against the label. The device must be registered by its partner’s cloud,
            which happens when it first goes online, and must not be claimed by another organization.
          </Text>
        )}
      </Form>
    </Box>
  )
}
