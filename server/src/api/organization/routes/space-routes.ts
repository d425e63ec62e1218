import { Type } from 'typebox'
import { importSpaces } from '../../../directory/organization/space-import.ts'
import {
  changeSpace,
  createSpace,
  deleteSpace,
  findOrCreateSpace,
  getSpace,
  listSpaces,
  searchSpaces,
} from '../../../directory/organization/spaces.ts'
import type { App } from '../../../platform/http/app.ts'
import { PageQuery } from '../../../platform/http/pagination.ts'
import { Empty, Id, IdPath, Instant, Name, Nullable, refusals } from '../../../platform/http/schemas.ts'
import { listLimits } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { reading } from '../../shared/reads.ts'
import { guardedChange, NameSearch, paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf, ownerOf } from '../authenticate-organization.ts'

const route = tagged('Organization: spaces')

export const Space = Type.Object(
  {
    id: Id,
    parent_id: Nullable(Id),
    name: Type.String(),
    synced: Type.Boolean({
      description:
        "Kept in sync with a partner's cloud: it cannot be moved, and no other application can rename or delete it.",
    }),
    synced_by: Nullable(Type.String({ format: 'uuid', description: 'The application that syncs it.' })),
    created_at: Instant,
  },
  { title: 'Space', description: 'A space of this organization: a building, a floor, a room.' },
)
const NewSpace = Type.Object(
  {
    name: Name,
    parent_id: Type.Optional(Nullable(Id)),
    synced: Type.Optional(Type.Boolean({ description: "Allowed only with an application's token." })),
  },
  { title: 'NewSpace', description: 'A space to create.', additionalProperties: false },
)
const SpaceChange = Type.Object(
  {
    name: Type.Optional(Name),
    parent_id: Type.Optional(Nullable(Id)),
    synced: Type.Optional(Type.Literal(false, { description: 'The application stops syncing the space.' })),
  },
  {
    title: 'SpaceChange',
    description: 'What to change about a space; what is absent stays.',
    additionalProperties: false,
    minProperties: 1,
  },
)
const SpacePathBody = Type.Object(
  {
    path: Type.Array(Name, { minItems: 1, maxItems: 32, description: 'Names from the top of the tree down.' }),
    synced: Type.Optional(Type.Boolean({ description: 'For the last space of the path, if this call creates it.' })),
  },
  { title: 'SpacePath', description: 'The path of a space.', additionalProperties: false },
)
const SpaceImport = Type.Object(
  {
    paths: Type.Array(SpacePathBody.properties.path, {
      minItems: 1,
      maxItems: listLimits.importedPaths,
      description: 'One path per space, in any order; a path creates what is missing above it too.',
    }),
  },
  { title: 'SpaceImport', description: 'Paths of spaces to find or create.', additionalProperties: false },
)
const SpaceImportResult = Type.Object(
  {
    created: Type.Integer({ description: 'How many spaces were created in all.' }),
    results: Type.Array(
      Type.Object(
        {
          space_id: Type.String({ format: 'uuid', description: 'The last space of the path.' }),
          created: Type.Integer({ description: 'How many spaces were created for this path; 0 when all existed.' }),
        },
        { title: 'ImportedPath', description: 'What became of a path.' },
      ),
      { description: 'One per path, in the same order.' },
    ),
  },
  { title: 'SpaceImportResult', description: 'What an import created.' },
)
const SpaceFilters = {
  parent_id: Type.Optional(
    Type.Union([Id, Type.Literal('root')], {
      description: 'Only its direct children; `root` for the top of the tree.',
    }),
  ),
}

const SpaceReference = Type.Object(
  { id: Id, name: Type.String() },
  { title: 'SpaceReference', description: 'One of the spaces above another.' },
)
export const Above = Type.Array(SpaceReference, { description: 'The spaces above it, from the top of the tree down.' })
const SpaceMatch = Type.Object(
  { ...Space.properties, above: Above },
  { title: 'SpaceMatch', description: 'A space that was found, and where it is.' },
)
const SpaceMatches = Type.Object(
  { items: Type.Array(SpaceMatch), next: Type.Null() },
  { title: 'SpaceMatchList', description: 'The closest spaces; there is one page.' },
)

export function spaceRoutes(app: App, context: Context): void {
  app.get(
    '/spaces',
    route({
      permission: 'spaces: read',
      reads: 'bounded',
      summary: 'List the spaces of this organization',
      description: 'The whole tree, or the direct children of one space.',
      ...paged(Space, SpaceFilters, { 404: ['not_found'] }),
    }),
    async (request) => {
      const { parent_id, ...page } = request.query
      const under = parent_id === undefined ? {} : { parent_id: parent_id === 'root' ? null : parent_id }
      return listSpaces(context, ownerOf(request), { ...page, ...under })
    },
  )

  app.post(
    '/spaces',
    route({
      permission: 'spaces: manage',
      creates: ['spaces', 'levels'],
      summary: 'Create a space',
      description: 'At the top of the tree, or below another space. Names are unique among the children of a space.',
      body: NewSpace,
      response: { 201: Space, ...refusals({ 403: ['application_required'], 404: ['not_found'], 409: ['name_taken'] }) },
    }),
    async (request, reply) => reply.code(201).send(await createSpace(context, callerOf(request), request.body)),
  )

  app.post(
    '/spaces/find-or-create',
    route({
      permission: 'spaces: manage',
      creates: ['spaces', 'levels'],
      summary: 'Find a space by its path, and create what is missing',
      description: '201 when something was created, 200 when the whole path existed.',
      body: SpacePathBody,
      response: { 200: Space, 201: Space, ...refusals({ 403: ['application_required'] }) },
    }),
    async (request, reply) => {
      const { space, created } = await findOrCreateSpace(context, callerOf(request), request.body)
      return reply.code(created ? 201 : 200).send(space)
    },
  )

  app.post(
    '/spaces/import',
    route({
      permission: 'spaces: manage',
      creates: ['spaces', 'levels'],
      summary: 'Find or create many spaces by their paths',
      description:
        'All of them or, when one is refused, none. Sending the same paths again creates nothing: a space of that name is ' +
        'used, where upper and lower case make no difference. No space is moved, renamed or synced.',
      body: SpaceImport,
      response: { 200: SpaceImportResult },
    }),
    async (request) => importSpaces(context, callerOf(request), request.body.paths),
  )

  app.get(
    '/spaces/search',
    route({
      permission: 'spaces: read',
      reads: 'growing',
      summary: 'Find spaces by name',
      description:
        'Every word must be in the name of the space or of one above it: `oslo ground` finds a floor in Oslo.',
      querystring: Type.Object({ limit: PageQuery.limit, ...NameSearch }),
      response: { 200: SpaceMatches },
    }),
    async (request) => {
      const owner = ownerOf(request)
      return searchSpaces(reading(context, owner, request), owner, request.query)
    },
  )

  app.get(
    '/spaces/:id',
    route({
      permission: 'spaces: read',
      reads: 'bounded',
      summary: 'Get a space',
      description: 'One space, with the id of its parent.',
      params: IdPath,
      response: { 200: Space },
    }),
    async (request) => getSpace(context, ownerOf(request), request.params.id),
  )

  app.patch(
    '/spaces/:id',
    route({
      permission: 'spaces: manage',
      creates: 'levels',
      summary: 'Rename or move a space, or stop syncing it',
      description:
        'A synced space cannot be moved to another parent, and neither can a space that has a synced one below it. ' +
        'Another application cannot rename a synced space.',
      params: IdPath,
      body: SpaceChange,
      ...guardedChange(Space, {
        403: ['synced_by_another'],
        409: ['name_taken'],
        422: ['space_move_refused', 'space_within_itself'],
      }),
    }),
    async (request) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      return changeSpace(context, callerOf(request), target, request.body)
    },
  )

  app.delete(
    '/spaces/:id',
    route({
      permission: 'spaces: manage',
      summary: 'Delete an empty space',
      description: 'Another application cannot delete a synced space.',
      params: IdPath,
      response: { 204: Empty, ...refusals({ 403: ['synced_by_another'], 409: ['space_not_empty'] }) },
    }),
    async (request, reply) => {
      await deleteSpace(context, callerOf(request), request.params.id)
      return reply.code(204).send()
    },
  )
}
