/** What is kept of one connected organization. Treat it like a password: it opens everything its administrators can. */
export interface Tokens {
  org_id: string
  access_token: string
  refresh_token: string
  /** Milliseconds since 1970. */
  expires_at: number
  scope: string
}

/** The tokens of one organization, while nobody else may change them. */
export interface HeldTokens {
  read(): Promise<Tokens | undefined>
  /** Must be durable when it returns: the former refresh token is spent by now. */
  write(tokens: Tokens): Promise<void>
  /** Removes these tokens. Others, which somebody wrote meanwhile, stay. */
  remove(tokens: Tokens): Promise<void>
}

/**
 * Where tokens live between restarts. There are stores in memory, in files, in Postgres and in Redis; yours may be any
 * database. `exclusively` runs the work while nobody else, in this process or another, holds the same organization: two
 * that rotate one refresh token at once would lose one of the results.
 */
export interface TokenStore {
  read(orgId: string): Promise<Tokens | undefined>
  exclusively<Result>(orgId: string, work: (held: HeldTokens) => Promise<Result>): Promise<Result>
}

/** For one process, and for tests: everything is forgotten when it ends. */
export function memoryTokenStore(): TokenStore {
  const kept = new Map<string, Tokens>()
  const turns = new Map<string, Promise<unknown>>()
  return {
    async read(orgId) {
      return kept.get(orgId)
    },
    exclusively(orgId, work) {
      const held: HeldTokens = {
        read: async () => kept.get(orgId),
        write: async (tokens) => void kept.set(orgId, tokens),
        remove: async (tokens) => {
          if (isSame(kept.get(orgId), tokens)) kept.delete(orgId)
        },
      }
      const turn = (turns.get(orgId) ?? Promise.resolve()).then(() => work(held))
      const settled = turn.catch(() => {}).then(() => void (turns.get(orgId) === settled && turns.delete(orgId)))
      turns.set(orgId, settled)
      return turn
    },
  }
}

export function isSame(kept: Tokens | undefined, tokens: Tokens): boolean {
  return kept?.refresh_token === tokens.refresh_token
}

/** The token endpoint's response. */
export interface TokenResponse {
  access_token: string
  refresh_token: string
  expires_in: number
  scope: string
  id_token?: string
}

export function tokensOf(orgId: string, { access_token, refresh_token, expires_in, scope }: TokenResponse): Tokens {
  return { org_id: orgId, access_token, refresh_token, scope, expires_at: Date.now() + expires_in * 1000 }
}
