import { DeclaredCommands } from '../../../devices/commands/declared-command-schemas.ts'
import { getDeclaredCommands, replaceDeclaredCommands } from '../../../devices/commands/declared-commands.ts'
import type { App } from '../../../platform/http/app.ts'
import { IdPath } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { guardedChange, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: models')

export function declaredCommandRoutes(app: App, context: Context): void {
  app.get(
    '/models/:id/commands',
    route({
      reads: 'bounded',
      summary: "Get a model's commands",
      description: 'What its devices can be asked to do, as it was last replaced; empty at first.',
      params: IdPath,
      response: { 200: DeclaredCommands },
    }),
    async (request) => getDeclaredCommands(context, callerOf(request).partner_id, request.params.id),
  )

  app.put(
    '/models/:id/commands',
    route({
      creates: { unlimited: 'replaces the commands of the model, whose number is bounded' },
      summary: "Replace a model's commands",
      description:
        'Customers see them at once, as buttons and forms. What is not declared is refused; commands that wait stay as they are.',
      params: IdPath,
      body: DeclaredCommands,
      ...guardedChange(DeclaredCommands),
    }),
    async (request) => {
      const { actor, partner_id } = callerOf(request)
      const target = { partner_id, model_id: request.params.id, ifMatch: request.headers['if-match'] }
      return replaceDeclaredCommands(context, actor, target, request.body)
    },
  )
}
