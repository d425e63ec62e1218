import { Type } from 'typebox'
import { countFleet } from '../../../devices/registry/device-counts.ts'
import { countMatching, fleetSorts, listDevices } from '../../../devices/registry/device-lists.ts'
import { getDevice, type Device as StoredDevice } from '../../../devices/registry/devices.ts'
import { DeviceCounts, DeviceFacts, readStatuses, State, Statuses } from '../../../devices/registry/responses.ts'
import type { App } from '../../../platform/http/app.ts'
import { Id, IdPath, Instant, Nullable } from '../../../platform/http/schemas.ts'
import { describeStaticCertificate } from '../../../platform/tls/static-certificate.ts'
import type { Context } from '../../context.ts'
import { reading } from '../../shared/reads.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { DeviceTotal, sortBy } from '../../shared/shared-device-routes.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: devices')

const Device = Type.Object(
  { ...DeviceFacts, claimed: Type.Boolean() },
  { title: 'PartnerDevice', description: 'A device as its partner sees it, without account data of the customer.' },
)
const DeviceWithState = Type.Object(
  { ...Device.properties, state: State },
  { title: 'PartnerDeviceWithState', description: 'A device as its partner sees it, with its state.' },
)

const FleetCount = Type.Object(
  {
    model_id: Id,
    model_name: Type.String({ description: 'The name of the model.' }),
    firmware_version: Type.String(),
    ...DeviceCounts.properties,
  },
  { title: 'FleetCount', description: 'The devices of one model and firmware version, by status.' },
)
const FleetCounts = Type.Object(
  {
    counted_at: Nullable(
      Type.Unsafe<Date>({ ...Instant, description: 'Null: the fleet is large and not counted yet.' }),
    ),
    items: Type.Array(FleetCount, { description: 'The largest first, 200 at most.' }),
    next: Type.Null(),
  },
  { title: 'FleetCounts', description: 'The devices of a partner by model, firmware version and status.' },
)

const DeviceFilters = {
  model_id: Type.Optional(Id),
  status: Type.Optional(Statuses),
  claimed: Type.Optional(Type.Boolean()),
  search: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'Part of a MAC or a serial number. One or two characters match the beginning only.',
    }),
  ),
}

const Sort = Type.Optional(sortBy(fleetSorts, 'By default `registered_at`.'))

export function deviceRoutes(app: App, context: Context): void {
  app.get(
    '/devices',
    route({
      reads: 'growing',
      summary: "List the devices of this partner's models",
      description:
        'With filters, a page may be short and still have a `next`: continue from there. To sort by `last_seen_at` or ' +
        '`status_at`, or to sort what a search found, 10,000 devices may match at most.',
      ...paged(Device, { ...DeviceFilters, sort: Sort }, { 422: ['too_many_to_sort'] }),
    }),
    async (request) => {
      const { partner_id } = callerOf(request)
      const gated = reading(context, { partner_id }, request)
      const page = await listDevices(gated, { partner_id }, readFilters(request.query))
      return { ...page, items: page.items.map(withoutAccountData) }
    },
  )

  app.get(
    '/devices/total',
    route({
      reads: 'growing',
      summary: 'Count the devices that match',
      description: 'With the filters of the list. Counting stops early where many match.',
      querystring: Type.Object(DeviceFilters),
      response: { 200: DeviceTotal },
    }),
    async (request) => {
      const { partner_id } = callerOf(request)
      return countMatching(reading(context, { partner_id }, request), { partner_id }, readFilters(request.query))
    },
  )

  app.get(
    '/devices/:id',
    route({
      reads: 'bounded',
      summary: 'Get a device with its state',
      description: 'Whether it is claimed, but not by whom.',
      params: IdPath,
      response: { 200: DeviceWithState },
    }),
    async (request) => {
      const { partner_id } = callerOf(request)
      const { state, ...device } = await getDevice(context, { partner_id }, request.params.id)
      return { ...withoutAccountData(device), state }
    },
  )

  app.get(
    '/devices/counts',
    route({
      reads: 'growing',
      summary: 'Count the devices by model, firmware version and status',
      description: 'Counted now, or, with more than 10,000 devices, every ten minutes.',
      response: { 200: FleetCounts },
    }),
    async (request) => {
      const { partner_id } = callerOf(request)
      return countFleet(reading(context, { partner_id }, request), partner_id)
    },
  )

  app.get(
    '/static-certificate',
    route({
      reads: 'bounded',
      summary: 'Get the certificate that devices pin at hub_url_static_cert',
      description:
        'The same for as long as this service lives. Build it into the firmware of devices that cannot check public certificates.',
      response: {
        200: Type.Object(
          {
            url: Type.String(),
            certificate: Type.String({ description: 'PEM.' }),
            sha256_fingerprint: Type.String({ description: '`AB:CD:…`' }),
          },
          { title: 'StaticCertificate', description: 'The certificate that never changes, for devices that pin it.' },
        ),
      },
    }),
    async () => ({ url: context.addresses.staticCertUrl, ...(await describeStaticCertificate(context)) }),
  )
}

/** The filters of a request as the verbs expect them. */
function readFilters<Query extends { status?: string | string[] }>({ status, ...query }: Query) {
  return { ...query, statuses: readStatuses(status) }
}

/** The partner sees whether a device is claimed, but nothing that its customer says about it (contract 1.5). */
function withoutAccountData({
  partner_id,
  customer_id,
  name,
  space_id,
  space_path,
  tags,
  note,
  ...device
}: StoredDevice) {
  return { ...device, claimed: customer_id !== null }
}
