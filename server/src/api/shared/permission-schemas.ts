import { Type } from 'typebox'
import { levels } from '../../directory/permissions.ts'
import { Id, Nullable } from '../../platform/http/schemas.ts'
import { partLimits } from '../../platform/own-limits.ts'

const { devices, spaces, people, audit } = levels

/** What an application or an API key may do: a level in each area. */
export const CredentialPermissions = Type.Object(
  {
    devices: Type.Enum([...devices], { description: 'Devices, their state and history.' }),
    spaces: Type.Enum([...spaces], { description: 'The tree of spaces.' }),
    people: Type.Enum([...people], { description: 'Users, groups and invitations.' }),
    audit: Type.Enum([...audit], { description: 'The audit log.' }),
  },
  {
    title: 'Permissions',
    description: 'The level in each area; a level includes the ones before it. See /docs/permissions.',
    additionalProperties: false,
  },
)

export const Within = Nullable(
  Type.Array(Id, {
    maxItems: partLimits.spacesOfPermission,
    uniqueItems: true,
    description:
      'The spaces to which devices, spaces and audit are limited, each with everything below it. A space that was deleted covers nothing. Null: everywhere.',
  }),
)

/** The spaces of a permission with their names, in a response. */
export const PermittedSpaces = Nullable(
  Type.Array(
    Type.Object(
      { id: Id, name: Nullable(Type.String({ description: 'Null: the space was deleted, and covers nothing.' })) },
      { title: 'PermittedSpace', description: 'A space of a permission, which counts in it and everything below it.' },
    ),
    { description: 'Null: everywhere.' },
  ),
)
