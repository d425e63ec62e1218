import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import { Etags } from './etags.ts'
import * as rules from './rules/saved-views.ts'
import { matches } from './rules/verdict.ts'
import { assertVerdict, command, itKeepsTheModel, pick, readAll } from './run-model.ts'
import { startWorld } from './world.ts'

const max = 4
const { service, organization, call } = await startWorld({ LANDBRIDGE_QUOTAS: `views=${max}` })

type Model = rules.Views
type Real = Etags

const who = fc.constantFrom(...rules.viewers)
const name = fc.constantFrom('Broken', 'broken', 'Œuvre', 'œuvre', 'Berlin', 'Roof', 'Cellar', 'Oslo')
const query = fc.record(
  {
    search: fc.constantFrom('', 'hall', '%_'),
    status: fc.constantFrom('online', 'error,offline'),
    sort: fc.constantFrom('name', '-name'),
    columns: fc.constantFrom([], ['tags', 'mac'], ['mac', 'tags']),
    no_space: fc.boolean(),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const hasViews = ({ views }: Model) => views.length > 0

/** Sees to it that the service and the model have the same view. */
function assertView(body: Record<string, unknown>, { id, name, query }: rules.View): void {
  assert.deepEqual({ id: body.id, name: body.name, query: body.query }, { id, name, query })
}

const commands = [
  command<Model, Real, { who: rules.Viewer; name: string; query: object }>(
    'save',
    fc.record({ who, name, query }),
    async (model, etags, { who, name, query }) => {
      if (who === 'stranger') return
      const verdict = rules.creating(model, who, name)
      const response = await call(who, 'POST', '/device-views', { name, query })
      if (!assertVerdict(response, verdict)) return
      const view = { id: response.body.id, name, query: { ...query }, deleted: false }
      assertView(response.body, view)
      model.views.push(view)
      etags.note(view.id, await call('session', 'GET', `/device-views/${view.id}`))
    },
    { weight: 3 },
  ),
  command<Model, Real, { who: rules.Viewer; which: number }>(
    'read',
    fc.record({ who, which: fc.nat() }),
    async (model, etags, { who, which }) => {
      const view = pick(model.views, which)
      const response = await call(who, 'GET', `/device-views/${view.id}`)
      if (!assertVerdict(response, rules.reading(who, view))) return
      assertView(response.body, view)
      etags.note(view.id, response)
    },
    { when: hasViews },
  ),
  command<Model, Real, rules.Change>(
    'change',
    fc.record(
      { who, which: fc.nat(), match: fc.constantFrom(...matches), name, query },
      { requiredKeys: ['who', 'which', 'match'] },
    ),
    async (model, etags, { who, which, match, ...change }) => {
      const view = pick(model.views, which)
      const verdict = rules.changing(model, { who, view, name: change.name, match })
      const response = await call(who, 'PATCH', `/device-views/${view.id}`, change, etags.header(view.id, match))
      if (!assertVerdict(response, verdict)) return
      Object.assign(view, change)
      assertView(response.body, view)
      etags.note(view.id, response)
    },
    { when: (model, { name, query }) => hasViews(model) && (name !== undefined || query !== undefined) },
  ),
  command<Model, Real, { who: rules.Viewer; which: number }>(
    'delete',
    fc.record({ who, which: fc.nat() }),
    async (model, _, { who, which }) => {
      const view = pick(model.views, which)
      const response = await call(who, 'DELETE', `/device-views/${view.id}`)
      if (assertVerdict(response, rules.deleting(who, view))) view.deleted = true
    },
    { when: hasViews },
  ),
]

async function look(model: Model): Promise<void> {
  for (const who of rules.viewers) {
    if (who === 'removed') {
      assertVerdict(await call(who, 'GET', '/device-views'), { status: 200, refusals: ['403 administrators_only'] })
      continue
    }
    const items = await readAll((page) => call(who, 'GET', `/device-views?${page}`), 2)
    const expected = rules.sees(who) ? rules.live(model) : []
    assert.equal(items.length, expected.length)
    for (const [index, view] of expected.entries()) assertView(items[index]!, view)
  }
}

describe('saved views', () => {
  itKeepsTheModel<Model, Real>('saved views', {
    commands,
    look,
    async begin() {
      await service.sql`delete from device_views where customer_id = ${organization.customer_id}`
      return { model: { views: [], max }, real: new Etags() }
    },
  })
})
