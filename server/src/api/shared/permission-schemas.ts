import { Type } from 'typebox'
import { levels } from '../../directory/permissions.ts'
import { Id, Line, Nullable } from '../../platform/http/schemas.ts'
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

function asked<const Level extends string>(title: string, steps: readonly Level[]) {
  return Type.Optional(
    Type.Object(
      {
        level: Type.Enum([...steps], { description: 'It includes the ones before it.' }),
        reason: Line(200, { description: 'Why, shown to people at consent.' }),
      },
      { title, description: 'A level and the reason for it.', additionalProperties: false },
    ),
  )
}

/** Null asks for everything. */
export const RequestedPermissions = Nullable(
  Type.Object(
    {
      devices: asked('RequestedForDevices', devices),
      spaces: asked('RequestedLevel', spaces),
      people: asked('RequestedLevel', people),
      audit: asked('RequestedForAudit', audit),
    },
    {
      title: 'RequestedPermissions',
      description:
        'What an application asks for, with a reason for each that people see at consent. An area that is absent, or whose ' +
        'level is `none`, is not asked for; `{}` is for one that only signs people in. Null asks for everything but ' +
        'commands to devices. See /docs/permissions.',
      additionalProperties: false,
    },
  ),
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
