import { Type } from 'typebox'
import {
  drainCell,
  listHubCells,
  type MoveOptions,
  moveBuckets,
  openCell,
  rebalance,
  removeCell,
} from '../../../devices/cells/hub-cells.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { operator } from '../authenticate-operator.ts'

const CellName = Type.String({ maxLength: 32, description: 'its `LANDBRIDGE_CELL`' })

const HubCell = Type.Object(
  {
    name: CellName,
    hub_url: Type.String(),
    hub_url_static_cert: Type.String(),
    mqtt_hub_url: Type.String(),
    state: Type.Enum(['open', 'draining']),
    running: Type.Boolean(),
    buckets: Type.Integer(),
    buckets_without_redirect: Type.Integer(),
    redirected_at: Nullable(Instant),
    created_at: Instant,
    seen_at: Instant,
  },
  {
    title: 'HubCell',
    description: 'A group of processes with addresses of its own, which serves a share of the devices.',
  },
)

const HubCellMoves = Type.Object(
  { moved: Type.Integer(), items: Type.Array(HubCell) },
  { title: 'HubCellMoves', description: 'How many buckets were moved, and the cells afterwards.' },
)

const longestSeconds = 604_800

const redirect_over_seconds = Type.Optional(
  Nullable(
    Type.Integer({
      minimum: 0,
      maximum: longestSeconds,
      description:
        'Devices are sent to their new cell within this time, one bucket after the other; 600 by default. Null: they stay ' +
        'where they are until they register again.',
    }),
  ),
)

const Redirect = Type.Object(
  { redirect_over_seconds },
  { title: 'HubCellRedirect', description: 'How devices learn of their new cell.', additionalProperties: false },
)

const BucketMove = Type.Object(
  {
    buckets: Type.Integer({
      minimum: 1,
      maximum: 1_024,
      description: 'Buckets to move; all cells together have 1,024.',
    }),
    from_cell: Type.Optional({
      ...CellName,
      description: 'The cell to take them from; by default those with the most.',
    }),
    redirect_over_seconds,
  },
  { title: 'BucketMove', description: 'Buckets to move to a cell.', additionalProperties: false },
)

const NamePath = Type.Object({ name: CellName })
const route = tagged('operator')

/** Decision 3.18. */
export function hubCellRoutes(app: App, context: Context): void {
  const movesOf = async (moved: number) => ({ moved, items: await listHubCells(context) })

  app.get(
    '/hub-cells',
    route({
      reads: 'bounded',
      summary: 'List the hub cells',
      description: 'None where no process has `LANDBRIDGE_CELL`: one cell without a name then serves every device.',
      response: {
        200: Type.Object(
          { items: Type.Array(HubCell), next: Type.Null() },
          { title: 'HubCellList', description: 'All hub cells; there is one page.' },
        ),
      },
    }),
    async () => ({ items: await listHubCells(context), next: null }),
  )

  app.post(
    '/hub-cells/rebalance',
    route({
      creates: { unlimited: 'changes cells that exist' },
      summary: 'Give every open cell the same number of devices',
      description: 'Moves as few buckets as possible. Refused while an open cell has no running process.',
      body: Nullable(Redirect),
      response: { 200: HubCellMoves, ...refusals({ 409: ['cell_not_running', 'no_open_cell'] }) },
    }),
    async ({ body }) => movesOf(await rebalance(context, operator, optionsOf(body))),
  )

  app.post(
    '/hub-cells/:name/move',
    route({
      creates: { unlimited: 'changes cells that exist' },
      summary: 'Move some buckets to a cell',
      description: 'For example one, to try a new cell with a thousandth of the devices.',
      params: NamePath,
      body: BucketMove,
      response: { 200: HubCellMoves, ...refusals({ 409: ['cell_draining', 'cell_not_running'] }) },
    }),
    async ({ params, body }) => {
      const { buckets, from_cell } = body
      return movesOf(await moveBuckets(context, operator, params.name, { buckets, from_cell, ...optionsOf(body) }))
    },
  )

  app.post(
    '/hub-cells/:name/drain',
    route({
      creates: { unlimited: 'changes cells that exist' },
      summary: 'Move all devices of a cell to the other open cells',
      description:
        'The cell is given no devices until it is opened again. It goes on serving those that have not left.',
      params: NamePath,
      body: Nullable(Redirect),
      response: { 200: HubCellMoves, ...refusals({ 409: ['no_open_cell'] }) },
    }),
    async ({ params, body }) => movesOf(await drainCell(context, operator, params.name, optionsOf(body))),
  )

  app.post(
    '/hub-cells/:name/open',
    route({
      creates: { unlimited: 'changes cells that exist' },
      summary: 'Open a cell that was drained',
      description: 'It has no devices until the cells are rebalanced.',
      params: NamePath,
      response: { 200: HubCellMoves },
    }),
    async ({ params }) => {
      await openCell(context, operator, params.name)
      return movesOf(0)
    },
  )

  app.delete(
    '/hub-cells/:name',
    route({
      summary: 'Remove a cell that has no devices',
      description: 'Drain it and stop its processes first. A process of it that starts again adds it again.',
      params: NamePath,
      response: { 204: Empty, ...refusals({ 409: ['cell_in_use'] }) },
    }),
    async ({ params }, reply) => {
      await removeCell(context, operator, params.name)
      return reply.code(204).send()
    },
  )
}

const defaultSeconds = 600

function optionsOf(body: Partial<MoveOptions> | null): MoveOptions {
  const { redirect_over_seconds = defaultSeconds } = body ?? {}
  return { redirect_over_seconds }
}
