// Receives events. Whatever comes is checked first: anybody can send something to this address.
import { createServer } from 'node:http'
import { webhookHandler } from '@landbridge/client'
import { expressHandler } from '@landbridge/client/node'

const secrets = (process.env.WEBHOOK_SECRET ?? '').split(/\s+/).filter(Boolean)
if (secrets.length === 0) {
  console.error('Add a webhook in the partner portal, then:\n\n  WEBHOOK_SECRET=whsec_… npm run example:webhooks\n')
  process.exit(1)
}

// A delivery may come twice: after a lost response, or when somebody redelivers it. In your program this is a table with a
// unique column, written in the same transaction as what the event changes.
const handled = new Set()

function describe(event) {
  switch (event.type) {
    case 'device.status_changed':
      return `${event.data.sn} is ${event.data.status} (was ${event.data.previous_status})`
    case 'device.registered':
    case 'device.updated':
      return `${event.data.sn} has firmware ${event.data.firmware_version} (${event.type})`
    case 'grant.revoked':
      return `${event.data.org_id} is no longer connected: ${event.data.reason}`
    default:
      // A later version of the service may send more: take it, and do nothing.
      return `${event.type} ${JSON.stringify(event.data)}`
  }
}

const receive = webhookHandler({
  // Two of them during a rotation.
  secrets,
  onEvent(event) {
    if (handled.has(event.id)) return
    console.log(describe(event))
    handled.add(event.id)
    // The service tries for a day, so no more than what comes within a day has to be remembered.
    if (handled.size > 100_000) handled.delete(handled.values().next().value)
  },
  onError: (error) => console.error(`Refused: ${error.message}`),
})

const port = Number(process.env.PORT || 3001)
const server = createServer((request, response) => {
  if (request.url !== '/webhook') return response.writeHead(404).end()
  return expressHandler(receive)(request, response)
})
server.listen(port, '127.0.0.1', () => {
  const { port } = server.address()
  console.log(`Waiting for events at http://127.0.0.1:${port}/webhook`)
})
