import { type Placements, ShardServers } from './shard-servers.ts'

/**
 * How a distributed database (Citus) spreads the rows of telemetry. The pools of one database share it; it is null for
 * one Postgres, where every statement may write to everything.
 */
export class Shards {
  readonly servers = new ShardServers()
  #shards: readonly number[] = []

  /** The shard of each bucket. A shard keeps its number when it moves to another server, so they are read once. */
  learn(shards: readonly number[], placements: Placements): void {
    this.#shards = shards
    this.servers.learn(placements)
  }

  shardOf(bucket: number): number {
    const shard = this.#shards[bucket]
    if (shard === undefined)
      throw new Error(`The shard of bucket ${bucket} is not known: was the database distributed?`)
    return shard
  }

  /** The server that has the bucket at the moment, as far as is known. */
  serverOf(bucket: number): string {
    return this.servers.serverOf(this.shardOf(bucket))
  }

  shardsOf(buckets: readonly number[]): number[] {
    return [...new Set(buckets.map((bucket) => this.shardOf(bucket)))]
  }

  /** The buckets whose servers respond; null while all do. */
  reachable(): number[] | null {
    if (this.servers.allRespond) return null
    return [...this.#shards.keys()].filter((bucket) => this.servers.responds(this.shardOf(bucket)))
  }

  /** For what needs every server: throws while one does not respond. */
  requireAll(): void {
    this.servers.require(this.#shards)
  }

  allBuckets(): number[] {
    return [...this.#shards.keys()]
  }
}

/** A parameter as the text that Postgres reads, for a statement that is sent as the parameter of another one. */
export function toText(value: unknown): string | null {
  if (value === null) return null
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return `{${value.map(toElement).join()}}`
  return String(value)
}

function toElement(value: unknown): string {
  const text = toText(value)
  return text === null ? 'null' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
