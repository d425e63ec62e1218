import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify'
import { Refusal } from '../refusal.ts'
import type { App } from './app.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

interface Path {
  scope: FastifyInstance
  /** Without the prefix of its scope. */
  url: string
  served: Set<string>
}

/** The methods of each path, by server, which all scopes of a listener share. */
const remembered = new WeakMap<object, Map<string, Path>>()

/** Records every route for `refuseOtherMethods`. Call it before the first route. */
export function rememberMethods(app: App): void {
  const paths = new Map<string, Path>()
  remembered.set(app.server, paths)
  app.addHook('onRoute', function (route: RouteOptions & { routePath: string; config?: { refuses?: boolean } }) {
    if (route.config?.refuses) return
    const path = paths.get(route.url) ?? { scope: this, url: route.routePath, served: new Set() }
    for (const method of [route.method].flat()) path.served.add(method)
    paths.set(route.url, path)
  })
}

/**
 * Adds a 405 with `Allow` to every path for the methods it does not serve. These are routes of the same scope, so that
 * its credentials, limits and form of refusals apply. Call it after the last route.
 */
export function refuseOtherMethods(app: App): void {
  for (const { scope, url, served } of remembered.get(app.server)!.values()) {
    const others = methods.filter((method) => !served.has(method))
    const allow = allowOf(served)
    scope.route({
      method: others as HTTPMethods[],
      url,
      config: { refuses: true },
      exposeHeadRoute: false,
      // Before the body is read, whose type and size no longer matter.
      onRequest: async (request, reply) => {
        reply.header('allow', allow)
        if (request.method === 'OPTIONS') return reply.code(204).send()
        throw wrongMethod(request.method, allow)
      },
      handler: async () => {},
    })
  }
}

/** For a method that no route can have, such as PROPFIND. */
export function refuseUnknownMethod(app: App, request: FastifyRequest, reply: FastifyReply): void {
  if ((methods as readonly string[]).includes(request.method)) return
  const url = request.url.split('?')[0]!
  for (const [pattern, { served }] of remembered.get(app.server) ?? []) {
    if (!isOfPattern(url, pattern)) continue
    const allow = allowOf(served)
    reply.header('allow', allow)
    throw wrongMethod(request.method, allow)
  }
}

function isOfPattern(url: string, pattern: string): boolean {
  const given = url.split('/')
  const wanted = pattern.split('/')
  if (wanted.at(-1) !== '*' && wanted.length !== given.length) return false
  return wanted.every((part, index) => part === '*' || part === given[index] || (part.startsWith(':') && given[index]))
}

function allowOf(served: Set<string>): string {
  return methods.filter((method) => served.has(method) || method === 'OPTIONS').join(', ')
}

function wrongMethod(method: string, allow: string): Refusal {
  return new Refusal(405, 'method_not_allowed', `This address does not support ${method}. It supports ${allow}.`)
}
