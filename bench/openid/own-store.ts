import type { AdapterFactory } from 'oidc-provider'

// It exports neither, so that their types are unknown here.
const load = async (file: string) => (await import(`oidc-provider/lib/${file}`)).default
const [MemoryAdapter, Lru] = await Promise.all([load('adapters/memory_adapter.js'), load('helpers/lru.js')])
const entries = new Lru({ maxSize: 10_000_000 })

/** The store that oidc-provider brings, with room for a whole run: by itself it keeps 1,000 entries and drops the rest. */
export const ownStore: AdapterFactory = (model) => new MemoryAdapter(model, entries)
