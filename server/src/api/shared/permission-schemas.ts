import { Type } from 'typebox'
import { levels } from '../../directory/permissions.ts'
import { Id, Nullable } from '../../platform/http/schemas.ts'
import { partLimits } from '../../platform/own-limits.ts'

const { devices, spaces, people, audit } = levels

/** What an application or an API key may do: a level in each area. */
export const CredentialPermissions = Type.Object(
  {
    devices: Type.Enum([...devices]),
    spaces: Type.Enum([...spaces]),
    people: Type.Enum([...people]),
    audit: Type.Enum([...audit]),
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
