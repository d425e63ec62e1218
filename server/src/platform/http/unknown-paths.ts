import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import type { App } from './app.ts'
import { refuseUnknownMethod } from './other-methods.ts'

export function unknownAddress(): Refusal {
  return new Refusal(404, 'not_found', 'There is nothing at this address.')
}

/** For a scope's whole prefix: credentials are checked before an address is reported as unknown. */
export function refuseUnknownPaths(app: App): void {
  app.setNotFoundHandler((request, reply) => {
    refuseUnknownMethod(app, request as FastifyRequest, reply as FastifyReply)
    throw unknownAddress()
  })
}
