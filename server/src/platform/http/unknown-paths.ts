import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import { refuseUnknownMethod } from './other-methods.ts'
import type { App } from './server.ts'

export function nothingThere(): Refusal {
  return new Refusal(404, 'not_found', 'There is nothing at this address.')
}

/** For the whole scope's prefix: its credentials are asked for before an unknown address is called unknown. */
export function refuseUnknownPaths(app: App): void {
  app.setNotFoundHandler((request, reply) => {
    refuseUnknownMethod(app, request as FastifyRequest, reply as FastifyReply)
    throw nothingThere()
  })
}
