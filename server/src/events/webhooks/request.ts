import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type OutgoingAddresses, OutgoingAddressRefused } from '../../platform/http/outgoing-address.ts'
import { webhookLimits } from '../../platform/own-limits.ts'
import type { Outcome } from './schedule.ts'

export interface Message {
  url: string
  payload: string
  headers: Record<string, string>
}

/** One attempt. Never throws: what went wrong is part of the outcome, as a sentence that a partner can act on. */
export async function attempt(
  outgoing: OutgoingAddresses,
  message: Message,
  timeoutMs: number = webhookLimits.attemptMilliseconds,
): Promise<Outcome> {
  const startedAt = performance.now()
  const outcome = (status: number | null, failure: string | null): Outcome => ({
    status,
    failure,
    duration_ms: Math.round(performance.now() - startedAt),
  })
  try {
    const url = new URL(message.url)
    const addresses = await outgoing.resolve(url)
    const status = await post(url, addresses, message, timeoutMs)
    return outcome(status, failureOf(status))
  } catch (error) {
    if (error instanceof OutgoingAddressRefused) return outcome(null, error.message)
    return outcome(null, describe(error, timeoutMs))
  }
}

function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `It responded with ${status}: redirects are not followed.`
  return `It responded with ${status} instead of 2xx.`
}

function post(url: URL, addresses: string[], message: Message, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      agent: false,
      // Connects to an address that was checked, whatever the name resolves to a moment later.
      lookup: pinnedTo(addresses),
      signal: AbortSignal.timeout(timeoutMs),
      maxHeaderSize: 16 * 1024,
      headers: {
        ...message.headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(message.payload),
        'user-agent': 'Landbridge-Webhooks/1',
      },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const status = response.statusCode ?? 0
      let bytes = 0
      // Read to the end, so that a well-behaved receiver can finish; one that sends too much is cut off.
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > webhookLimits.responseBytes) request.destroy()
      })
      response.on('end', () => resolve(status))
      response.on('error', () => resolve(status))
      response.on('close', () => resolve(status))
    })
    request.end(message.payload)
  })
}

function pinnedTo(addresses: string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    if (options.all) callback(null, all)
    else callback(null, all[0]!.address, all[0]!.family)
  }
}

function describe(error: unknown, timeoutMs: number): string {
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'TimeoutError' || name === 'AbortError') return `It did not respond within ${timeoutMs / 1000} seconds.`
  switch (code) {
    case 'ECONNREFUSED':
      return 'The connection was refused.'
    case 'ECONNRESET':
      return 'The connection was closed before a response.'
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'The address could not be reached.'
  }
  if (code?.startsWith('ERR_TLS') || code?.includes('CERT') || code?.includes('SIGNED')) {
    return `The TLS certificate was not accepted (${code}).`
  }
  return `The request failed (${code ?? 'unknown error'}).`
}
