/** The lightest possible store for oidc-provider: its own holds 1,000 entries and drops the rest. */
export class MapAdapter {
  static readonly #rows = new Map<string, Record<string, unknown>>()
  readonly #model: string

  constructor(model: string) {
    this.#model = model
  }

  async upsert(id: string, payload: Record<string, unknown>): Promise<void> {
    MapAdapter.#rows.set(`${this.#model}:${id}`, payload)
  }

  async find(id: string): Promise<Record<string, unknown> | undefined> {
    return MapAdapter.#rows.get(`${this.#model}:${id}`)
  }

  async consume(id: string): Promise<void> {
    MapAdapter.#rows.get(`${this.#model}:${id}`)!.consumed = Math.floor(Date.now() / 1000)
  }

  async destroy(id: string): Promise<void> {
    MapAdapter.#rows.delete(`${this.#model}:${id}`)
  }

  async findByUid(): Promise<undefined> {}
  async findByUserCode(): Promise<undefined> {}
  async revokeByGrantId(): Promise<void> {}
}
