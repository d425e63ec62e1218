import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { Refusal } from '../refusal.ts'
import type { App } from './server.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

interface Path {
  scope: FastifyInstance
  /** Without the prefix of its scope. */
  url: string
  served: Set<string>
}

/** Remembers every route, so that `refuseOtherMethods` knows what each path serves. Call it before the first route. */
export function rememberMethods(app: App): Map<string, Path> {
  const paths = new Map<string, Path>()
  app.addHook('onRoute', function (route: RouteOptions & { routePath: string }) {
    const path = paths.get(route.url) ?? { scope: this, url: route.routePath, served: new Set() }
    for (const method of [route.method].flat()) path.served.add(method)
    paths.set(route.url, path)
  })
  return paths
}

/**
 * Gives every path a 405 with `Allow` for the methods it does not serve. These are routes of the same scope, so that
 * the scope's credentials, limits and form of refusals hold for them too. Call it after the last route.
 */
export function refuseOtherMethods(paths: Map<string, Path>): void {
  for (const { scope, url, served } of [...paths.values()]) {
    const others = methods.filter((method) => !served.has(method))
    const allow = [...methods.filter((method) => served.has(method)), ...(served.has('OPTIONS') ? [] : ['OPTIONS'])]
    scope.route({
      method: others as HTTPMethods[],
      url,
      exposeHeadRoute: false,
      // Before the body is read: its type and size do not matter any more.
      onRequest: async (request, reply) => {
        reply.header('allow', allow.join(', '))
        if (request.method === 'OPTIONS') return reply.code(204).send()
        throw wrongMethod(request.method, allow)
      },
      handler: async () => {},
    })
  }
}

/** For a method that no route can have, such as PROPFIND: whatever else the path serves. */
export function refuseUnknownMethod(app: App, request: FastifyRequest, reply: FastifyReply): void {
  if ((methods as readonly string[]).includes(request.method)) return
  const url = request.url.split('?')[0]!
  const allow = methods.filter((method) => app.findRoute({ method, url }) !== null)
  if (allow.length === 0) return
  reply.header('allow', allow.join(', '))
  throw wrongMethod(request.method, allow)
}

function wrongMethod(method: string, allow: readonly string[]): Refusal {
  const sentence = `This address does not support ${method}. It supports ${allow.join(', ')}.`
  return new Refusal(405, 'method_not_allowed', sentence)
}
