import { DeviceCommand, DeviceCommandReport, FleetCommandReport } from '../devices/commands/device-command-schemas.ts'
import { type Reason, reasons } from '../devices/mqtt/reason-codes.ts'
import { ConfigChange, ConfigReport, DeviceConfig } from '../devices/settings/config-schemas.ts'
import { Telemetry } from '../devices/telemetry/telemetry-schemas.ts'
import { type EventType, eventMeanings, eventSchemas } from '../events/event-schemas.ts'
import { Components, mapValues, pascalCase } from './components.ts'
import { described } from './descriptions.ts'
import { exampleOf } from './examples.ts'
import type { Schema } from './schema.ts'
import { deliveryHeaders } from './webhooks.ts'

/** What travels without a request for it: telemetry, commands and settings over MQTT, and events to webhooks. AsyncAPI 3.0. */
export function asyncApiDocument(version: string, { mqttUrl }: { mqttUrl: string }): object {
  const components = new Components()
  const telemetry = messageOf('telemetry', Telemetry as Schema, components)
  const ofDevices = mapValues(deviceMessages, (schema, name) => messageOf(name, schema as Schema, components))
  const events = mapValues(eventSchemas, (schema, type) =>
    eventMessage(type as EventType, schema as Schema, components),
  )
  const nameOf = (type: string) => `${pascalCase(type)}Event`
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Landbridge: MQTT and webhooks',
      version,
      description:
        'Devices publish telemetry over MQTT and subscribe to their commands and settings; webhooks of partners receive events. `/openapi.json` describes ' +
        'everything that is asked for over HTTP.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      mqtt: {
        host: new URL(mqttUrl).host,
        protocol: 'secure-mqtt',
        protocolVersion: '5.0',
        description:
          'MQTT 3.1.1 and 5 over TLS. Each device is told its own address when it registers (`mqtt_hub_url`).',
        security: [{ $ref: '#/components/securitySchemes/accessKey' }],
      },
      webhook: {
        host: 'cloud.example.com',
        pathname: '/landbridge',
        protocol: 'https',
        description: 'The address of your webhook, as you registered it.',
      },
    },
    channels: {
      telemetry: {
        address: 'v1/devices/{device_id}/telemetry',
        title: 'Telemetry of one device',
        description:
          'What a device measures. Its id is in lower or upper case as in its client id, here and in its other topics.',
        servers: [{ $ref: '#/servers/mqtt' }],
        parameters: { device_id: deviceId },
        messages: { telemetry: { $ref: '#/components/messages/telemetry' } },
      },
      ...deviceChannels,
      events: {
        address: '/',
        title: 'Events to a webhook',
        description:
          'POST requests to your webhook, signed as in Standard Webhooks and repeated for a day until a 2xx.',
        servers: [{ $ref: '#/servers/webhook' }],
        messages: mapValues(events, (_, type) => ({ $ref: `#/components/messages/${nameOf(type)}` })),
      },
    },
    operations: {
      receiveTelemetry: {
        action: 'receive',
        channel: { $ref: '#/channels/telemetry' },
        summary: 'Store a message of a device',
        description:
          'Publish with QoS 0 or 1, without retain, at most 128 KiB. The PUBACK of QoS 1 comes after the commit. The ' +
          'will of a connection has the same topic and body. Version 5 gets a reason code in PUBACK, CONNACK or ' +
          'DISCONNECT; 3.1.1 in CONNACK, and is closed otherwise.',
        messages: [{ $ref: '#/channels/telemetry/messages/telemetry' }],
        bindings: { mqtt: { qos: 1, retain: false, bindingVersion: '0.2.0' } },
        'x-reason-codes': Object.entries(reasons).map(([name, codes]) => ({
          name,
          mqtt5: hexadecimal(codes.v5),
          ...('connack' in codes ? { mqtt311_connack: hexadecimal(codes.connack) } : {}),
          description: reasonMeanings[name as Reason],
        })),
      },
      ...deviceOperations,
      sendEvent: {
        action: 'send',
        channel: { $ref: '#/channels/events' },
        summary: 'Tell a partner what happened',
        description: 'Respond with 2xx within 15 seconds. 410 disables the webhook; anything else is tried again.',
        messages: Object.keys(events).map((type) => ({ $ref: `#/channels/events/messages/${type}` })),
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      },
    },
    components: {
      messages: {
        telemetry,
        ...ofDevices,
        ...Object.fromEntries(Object.entries(events).map(([type, message]) => [nameOf(type), message])),
      },
      schemas: components.schemas,
      securitySchemes: {
        accessKey: {
          type: 'userPassword',
          description: 'Client id and user name are the device id, the password is its access key.',
        },
      },
    },
  }
}

const deviceId = { description: 'The id of the device, which is also its client id and user name.' }
const message = (name: string) => ({ [name]: { $ref: `#/components/messages/${name}` } })

const deviceMessages = {
  command: DeviceCommand,
  commandReport: FleetCommandReport,
  commandReportWithId: DeviceCommandReport,
  config: DeviceConfig,
  configReport: ConfigReport,
  configChange: ConfigChange,
}

/** `v1/device/…` is accepted as well, as other hubs have it. */
const deviceChannels = {
  commands: {
    address: 'v1/devices/{device_id}/command',
    title: 'Commands of one device',
    description:
      'Subscribe with QoS 0 or 1. The first command that waits comes after each SUBACK, and each further one when the one before is reported. Never retained; a command may come more than once. Version 5 has its expiry, its id as correlation data, and the topic of its report.',
    servers: [{ $ref: '#/servers/mqtt' }],
    parameters: { device_id: deviceId },
    messages: { ...message('command'), ...message('commandReportWithId') },
  },
  commandReports: {
    address: 'v1/devices/{device_id}/command/{command_id}',
    title: 'What became of a command',
    description:
      'The response topic of version 5. The same report may be sent to the topic of the commands, with its id.',
    servers: [{ $ref: '#/servers/mqtt' }],
    parameters: { device_id: deviceId, command_id: { description: 'The id of the command.' } },
    messages: message('commandReport'),
  },
  settings: {
    address: 'v1/devices/{device_id}/config',
    title: 'Settings of one device',
    description:
      'Subscribe with QoS 0 or 1. All settings come after each SUBACK and with every change, never retained. The device publishes to the same topic what it made of a version, or a change that was made at the device.',
    servers: [{ $ref: '#/servers/mqtt' }],
    parameters: { device_id: deviceId },
    messages: { ...message('config'), ...message('configReport'), ...message('configChange') },
  },
}

const bindings = { mqtt: { qos: 1, retain: false, bindingVersion: '0.2.0' } }
const operation = (action: 'send' | 'receive', channel: string, summary: string, ...messages: string[]) => ({
  action,
  channel: { $ref: `#/channels/${channel}` },
  summary,
  messages: messages.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
  bindings,
})

const deviceOperations = {
  sendCommand: operation('send', 'commands', 'Send a device its next command', 'command'),
  receiveCommandReport: operation('receive', 'commandReports', 'Store what became of a command', 'commandReport'),
  receiveCommandReportWithId: operation(
    'receive',
    'commands',
    'Store what became of the command that the body names',
    'commandReportWithId',
  ),
  sendConfig: operation('send', 'settings', 'Send a device its settings', 'config'),
  receiveConfigReport: operation(
    'receive',
    'settings',
    'Store what a device made of its settings, or changed of them',
    'configReport',
    'configChange',
  ),
}

function messageOf(name: string, schema: Schema, components: Components): object {
  const whole = described(schema)
  return {
    name,
    title: whole.title,
    summary: whole.description,
    contentType: 'application/json',
    payload: components.name(whole),
    examples: [{ name, payload: exampleOf(whole) }],
  }
}

function eventMessage(type: EventType, schema: Schema, components: Components): object {
  const properties = mapValues(deliveryHeaders, (header) => header)
  const headers = { type: 'object', required: Object.keys(deliveryHeaders), properties }
  return { ...messageOf(type, schema, components), name: type, summary: eventMeanings[type], headers }
}

const hexadecimal = (code: number) => `0x${code.toString(16).padStart(2, '0')}`

/** When a device gets each reason. */
const reasonMeanings: Record<Reason, string> = {
  success: 'Connected, or the message is stored.',
  disconnect_with_will: 'Sent by a device that leaves and wants its will to be stored.',
  unspecified_error: 'The message may be stored, which nobody knows. Connect again and send it again.',
  malformed_packet: 'The packet cannot be read.',
  protocol_error: 'The packet is not allowed here, such as a second CONNECT.',
  implementation_specific_error:
    'The report is not accepted, because the command has ended otherwise. Do not send it again.',
  unsupported_version: 'Only MQTT 3.1.1 and 5 are served.',
  client_id_not_valid: 'Client id and user name must both be the device id.',
  bad_credentials: 'The device is unknown, or the password is not its access key.',
  not_authorized: 'A topic or a command that is not the device’s own, or a device that was removed or got a new key.',
  server_unavailable: 'The service cannot take devices now. Connect again later.',
  server_busy: 'The message was not stored. Connect again and send it again.',
  server_shutting_down: 'This process stops. Connect again.',
  bad_authentication_method: 'Enhanced authentication is not supported: send user name and password.',
  keep_alive_timeout: 'Nothing came for one and a half times the keep-alive.',
  session_taken_over: 'The device connected again elsewhere.',
  topic_filter_invalid: 'The filter of a subscription is not well-formed.',
  topic_name_invalid: 'The topic is empty or has wildcards.',
  topic_alias_invalid: 'Topic aliases are not supported.',
  packet_too_large: 'A message may have at most 128 KiB.',
  administrative_action: 'The device was removed.',
  payload_format_invalid: 'The body is not well-formed JSON, or a field of it is wrong. The reason string says which.',
  retain_not_supported: 'Publish without retain.',
  qos_not_supported: 'Publish with QoS 0 or 1.',
  server_moved: 'Another hub serves the device now: connect to the Server Reference, and store it.',
  subscription_identifiers_not_supported: 'Subscribe without a subscription identifier.',
}
