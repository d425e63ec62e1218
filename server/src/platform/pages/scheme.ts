import type { FastifyRequest } from 'fastify'

export type Scheme = 'light' | 'dark'

/** As it was chosen in the portal, which sets this cookie; without a choice the device's own scheme counts. */
export function chosenScheme({ headers }: FastifyRequest): Scheme | undefined {
  const [, chosen] = /(?:^|; ?)landbridge_scheme=(light|dark)(?:;|$)/.exec(headers.cookie ?? '') ?? []
  return chosen as Scheme | undefined
}
