// Contract 1.5, 2.5 and 4.7, integrate.md section 2: the devices that one MAC and serial number had, one after the other.
import type { CreateCall, DeviceCall } from './history.ts'
import type { Model } from './linearizable.ts'

export interface DeviceState {
  /** Null: nothing is registered. One that nobody was told is named after the call that may have created it. */
  id: string | null
  access_key: string | null
  used: boolean
  owner: string | null
  removed: string[]
}

export const deviceModel: Model<DeviceState, DeviceCall> = {
  changesNothing: ({ kind, refused }) => kind === 'look' || refused !== null,
  initial: { id: null, access_key: null, used: false, owner: null, removed: [] },
  step(state, call) {
    // A limit, or too busy: nothing happened.
    if (call.refused && notNow.has(call.refused)) return [state]
    switch (call.kind) {
      case 'register':
        return register(state, call)
      case 'contact':
        return contact(state, call)
      case 'claim':
        return claim(state, call)
      case 'remove':
        return remove(state, call)
      case 'look': {
        const isTheirs = is(state, call.input.id) && state.owner === call.input.customer
        return (call.ok !== null) === isTheirs ? [known(state, call.input.id)] : []
      }
    }
  },
}

const notNow = new Set(['too_many', 'overloaded', 'storage_full'])

type CallOf<Kind> = Extract<DeviceCall, { kind: Kind }>

const unnamed = '?'

/** Whether the registered device is this one, or may be. */
function is({ id, removed }: DeviceState, asked: string): boolean {
  return id === asked || (id === unnamed && !removed.includes(asked))
}

function known(state: DeviceState, id: string): DeviceState {
  return state.id === unnamed && is(state, id) ? { ...state, id } : state
}

function register(state: DeviceState, call: CallOf<'register'>): DeviceState[] {
  if (call.refused) return state.id !== null && state.used ? [state] : []
  const { id, access_key } = call.ok ?? { id: unnamed, access_key: `${unnamed}${call.n}` }
  if (state.id === null) {
    return state.removed.includes(id) ? [] : [{ ...state, id, access_key, used: false, owner: null }]
  }
  // Until it has used its key, a device may register again: the response may have been lost.
  if (state.used || (call.ok && !is(state, id))) return []
  return [{ ...state, id: call.ok ? id : state.id, access_key }]
}

function contact(state: DeviceState, call: CallOf<'contact'>): DeviceState[] {
  const { id, access_key } = call.input
  const valid = is(state, id) && state.access_key === access_key
  if (call.refused === 'device_removed') return state.removed.includes(id) ? [state] : []
  if (call.refused) return valid ? [] : [state]
  return valid ? [{ ...state, id, used: true }] : []
}

function claim(state: DeviceState, call: CallOf<'claim'>): DeviceState[] {
  const free = state.id !== null && state.owner === null
  if (call.refused) return free ? [] : [state]
  if (!free || (call.ok && !is(state, call.ok.id))) return []
  return [{ ...state, id: call.ok?.id ?? state.id, owner: call.input.customer }]
}

function remove(state: DeviceState, call: CallOf<'remove'>): DeviceState[] {
  const { id, by } = call.input
  const may = by === 'partner' || state.owner === by
  if (is(state, id) && may) {
    if (call.refused) return []
    return [{ ...state, id: null, access_key: null, used: false, owner: null, removed: [...state.removed, id] }]
  }
  // Removing again what is removed changes nothing, and may be told either way.
  return call.refused || state.removed.includes(id) ? [state] : []
}

/** One call that creates something, repeated with the same Idempotency-Key: it is created once, and every success names it. */
export const createModel: Model<{ id: string | null }, CreateCall> = {
  initial: { id: null },
  step(state, call) {
    if (call.kind === 'list') {
      const ids = call.ok?.ids ?? []
      if (ids.length > 1 || (ids.length === 0) !== (state.id === null)) return []
      return state.id === unnamed ? [{ id: ids[0]! }] : [ids[0] ?? null].includes(state.id) ? [state] : []
    }
    if (call.refused === 'idempotent_answer_lost') return state.id === null ? [] : [state]
    if (call.refused) return [state]
    const id = call.ok?.id ?? unnamed
    if (state.id === null) return [{ id }]
    if (id === unnamed || id === state.id) return [state]
    return state.id === unnamed ? [{ id }] : []
  },
}
