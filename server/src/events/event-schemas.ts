import { type Static, type TObject, type TProperties, Type } from 'typebox'

const Uuid = (description: string) => Type.String({ format: 'uuid', description })

/** A device as its partner knows it, without the customer who claimed it (contract 1.5). */
const subject = {
  device_id: Uuid('The device.'),
  model_id: Uuid('The model of the device.'),
  mac: Type.String({ description: 'The MAC address of the device.' }),
  sn: Type.String({ description: 'The serial number of the device.' }),
}
const DeviceSubject = Type.Object(subject, { title: 'EventDevice', description: 'The device that it happened to.' })
const firmware_version = Type.String({ description: 'The firmware of the device now.' })
const client_id = Uuid('The application.')
/** A grant is named by the customer's id, which the application knows as `org_id`. */
const org_id = Uuid('The organization, as in the id_token.')

const ApplicationSubject = Type.Object(
  { client_id },
  { title: 'EventApplication', description: 'The application that it happened to.' },
)
const ConnectionSubject = Type.Object(
  { client_id, org_id },
  { title: 'EventConnection', description: 'The application and the organization that it happened between.' },
)

/** The data of each type of event. */
const data = {
  'device.registered': Type.Object({ ...subject, firmware_version }),
  'device.updated': Type.Object({
    ...subject,
    firmware_version,
    previous_firmware_version: Type.String({ description: 'The firmware before.' }),
  }),
  'device.claimed': DeviceSubject,
  'device.removed': DeviceSubject,
  'device.status_changed': Type.Object({
    ...subject,
    status: Type.String({ description: '`online`, `offline` or `error`.' }),
    previous_status: Type.String({ description: 'The status before: the same, or `never_seen`.' }),
  }),
  'device.command': Type.Object({
    device_id: Uuid('The device.'),
    command_id: Uuid('The command.'),
    expires_at: Type.String({ format: 'date-time', description: 'After this instant it is not handed out.' }),
  }),
  'grant.revoked': Type.Object({
    client_id,
    org_id,
    reason: Type.String({
      description:
        '`approval_withdrawn`, `policy_narrowed`, `application_disabled`, `revoked_by_application` or ' +
        '`refresh_token_replayed`; more may follow.',
    }),
  }),
  'grant.connected': ConnectionSubject,
  // Without the organization: it has not approved yet, so the partner must not learn who it is (contract 1.5).
  'approval.requested': ApplicationSubject,
  'approval.given': ConnectionSubject,
  'approval.withdrawn': ConnectionSubject,
  'application.disabled': ApplicationSubject,
  'api_key.expiring': Type.Object({
    api_key_id: Uuid('The API key.'),
    name: Type.String({ description: 'What the key is called.' }),
    hint: Type.String({ description: 'The first characters of the key.' }),
    expires_at: Type.String({ format: 'date-time', description: 'When it stops working.' }),
  }),
  'webhook.test': Type.Object({ message: Type.String({ description: 'A greeting.' }) }),
}

export type EventType = keyof typeof data
export type EventData = { [Type in EventType]: Static<(typeof data)[Type]> }

/** When each event is sent. */
export const eventMeanings: Record<EventType, string> = {
  'device.registered': 'A device registered, for the first time or in a replace window.',
  'device.updated': 'A device reported another firmware version.',
  'device.claimed': 'A customer claimed a device.',
  'device.removed':
    'A device was removed: by its customer, by you, or because it was never used. Its access key no longer works.',
  'device.status_changed':
    'A device went online, offline or into an error. Those of one device happened in the order of `timestamp` and, where several have the same, of `webhook-id`.',
  'device.command':
    'A device has a command to carry out, the first of those that wait. Without its content: take it with `GET /core/v1/partner/commands`, unless the device fetches it itself.',
  'grant.revoked': 'The tokens of an application for one organization stopped working. Show your "connect" button.',
  'grant.connected': 'A user connected an application for an organization.',
  'approval.requested':
    'A member of an organization asked its administrators to approve an application. Which organization, you learn when it is approved.',
  'approval.given': 'An administrator approved an application for an organization. Its members can connect it now.',
  'approval.withdrawn': 'An organization no longer approves an application. An administrator must approve it again.',
  'application.disabled': 'The operator disabled an application.',
  'api_key.expiring': 'One of your API keys expires within 14 days. Rotate it in the partner portal.',
  'webhook.test': 'Sent on request from the portal or the API.',
}

/** The body of a delivery: `{type, timestamp, data}`, as in Standard Webhooks. */
function eventSchema(type: EventType): TObject<TProperties> {
  const title = `${type.replace(/(^|[._])(\w)/g, (_, __, letter: string) => letter.toUpperCase())}Event`
  return Type.Object(
    {
      type: Type.Literal(type, { description: 'What happened.' }),
      timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
      data:
        'title' in data[type]
          ? data[type]
          : Type.Object(data[type].properties, { title: `${title}Data`, description: 'What it happened to.' }),
    },
    { title, description: eventMeanings[type] },
  )
}

export const eventSchemas = Object.fromEntries(
  Object.keys(data).map((type) => [type, eventSchema(type as EventType)]),
) as Record<EventType, TObject<TProperties>>
