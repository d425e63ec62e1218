import { Type } from 'typebox'
import { nameReach } from '../../../directory/organization/named-reach.ts'
import { levels } from '../../../directory/permissions.ts'
import type { App } from '../../../platform/http/app.ts'
import type { Context } from '../../context.ts'
import { CredentialPermissions, PermittedSpaces } from '../../shared/permission-schemas.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-organization.ts'

export const CallerPermissions = Type.Object(
  {
    ...CredentialPermissions.properties,
    integrations: Type.Enum([...levels.integrations], { description: 'API keys and connected apps: of people only.' }),
  },
  {
    title: 'CallerPermissions',
    description: 'The level in each area; a level includes the ones before it. See /docs/permissions.',
  },
)

const Own = Type.Object(
  {
    reach: Type.Array(
      Type.Object(
        { permissions: CallerPermissions, within: PermittedSpaces },
        {
          title: 'CallerAllowance',
          description: 'Permissions, and the spaces in which those for devices, spaces and audit count.',
        },
      ),
      { description: 'A token and an API key have one entry, a person one per role.' },
    ),
  },
  { title: 'OwnPermissions', description: 'What the caller may do.' },
)

export function ownPermissionRoutes(app: App, context: Context): void {
  app.get(
    '/permissions',
    tagged('Organization: info')({
      permission: 'none',
      reads: 'bounded',
      summary: 'Get your own permissions',
      description:
        'What the caller may do in this organization, and in which spaces. An administrator can change it at any time: it counts from the next request on.',
      response: { 200: Own },
    }),
    async (request) => {
      const { customer_id, reach } = callerOf(request)
      return { reach: await nameReach(context.sql, customer_id, reach) }
    },
  )
}
