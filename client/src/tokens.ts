/** What is kept of one connected organization. Treat it like a password: it opens everything its administrators can. */
export interface Tokens {
  org_id: string
  access_token: string
  refresh_token: string
  /** Milliseconds since 1970. */
  expires_at: number
  scope: string
}

/**
 * Where tokens live between restarts: a table of yours, encrypted at rest. `exclusively` runs the work while nobody else
 * refreshes the same organization; a store that several processes share must lock across them (`select … for update`),
 * or two of them rotate one refresh token and one of them fails.
 */
export interface TokenStore {
  read(orgId: string): Promise<Tokens | undefined>
  /** Must be durable when it returns: the former refresh token is spent by now. */
  write(tokens: Tokens): Promise<void>
  remove(orgId: string): Promise<void>
  exclusively<T>(orgId: string, work: () => Promise<T>): Promise<T>
}

/** For one process, and for tests: everything is forgotten when it ends. */
export function memoryTokenStore(): TokenStore {
  const kept = new Map<string, Tokens>()
  const turns = new Map<string, Promise<unknown>>()
  return {
    async read(orgId) {
      return kept.get(orgId)
    },
    async write(tokens) {
      kept.set(tokens.org_id, tokens)
    },
    async remove(orgId) {
      kept.delete(orgId)
    },
    exclusively(orgId, work) {
      const turn = (turns.get(orgId) ?? Promise.resolve()).then(work, work)
      turns.set(
        orgId,
        turn.catch(() => {}),
      )
      return turn
    },
  }
}

/** The token endpoint's response. */
export interface TokenReply {
  access_token: string
  refresh_token: string
  expires_in: number
  scope: string
  id_token?: string
}

export function tokensOf(orgId: string, { access_token, refresh_token, expires_in, scope }: TokenReply): Tokens {
  return { org_id: orgId, access_token, refresh_token, scope, expires_at: Date.now() + expires_in * 1000 }
}
