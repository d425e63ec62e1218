// What came of every request, by operation and status, in as much memory for a million as for a hundred.
import type { Kind } from './kinds.ts'

export interface Fault {
  kind: Kind
  operation: string
  what: string
  /** What was sent, as it can be repeated by hand. */
  sent: string
}

export class Tally {
  readonly #statuses = new Map<string, Map<string, number>>()
  readonly #sent = new Map<Kind, number>()
  readonly #letIn = new Map<Kind, number>()
  /** The shortest of each operation and kind of fault. */
  readonly #faults = new Map<string, Fault>()
  readonly #onFault: (fault: Fault) => void
  faultsInAll = 0
  serverErrors = 0
  /** Requests that were sent again after a 503. */
  repeated = 0

  /** Called with the first of each operation and kind of fault. */
  constructor(onFault: (fault: Fault) => void) {
    this.#onFault = onFault
  }

  count(kind: Kind, operation: string, status: string): void {
    this.#sent.set(kind, this.sentOf(kind) + 1)
    if (isSuccess(status)) this.#letIn.set(kind, (this.#letIn.get(kind) ?? 0) + 1)
    this.note(operation, status)
  }

  /** Without a request of its own. */
  note(operation: string, status: string): void {
    const statuses = this.#statuses.get(operation) ?? new Map<string, number>()
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    this.#statuses.set(operation, statuses)
    if (/^5\d\d$/.test(status)) this.serverErrors += 1
  }

  fault(fault: Fault): void {
    this.faultsInAll += 1
    const key = keyOf(fault)
    const known = this.#faults.get(key)
    if (!known) this.#onFault(fault)
    if (known && known.sent.length <= fault.sent.length) return
    if (known || this.#faults.size < 100) this.#faults.set(key, fault)
  }

  knows(fault: Omit<Fault, 'sent'>): boolean {
    return this.#faults.has(keyOf(fault))
  }

  get faults(): Fault[] {
    return [...this.#faults.values()]
  }

  sentOf(kind: Kind): number {
    return this.#sent.get(kind) ?? 0
  }

  /** The share of requests that were no refusal. */
  shareLetIn(kind: Kind): number {
    return (this.#letIn.get(kind) ?? 0) / this.sentOf(kind)
  }

  get total(): number {
    return [...this.#sent.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Whether the operation was ever let in. */
  succeeded(operation: string): boolean {
    return [...(this.#statuses.get(operation)?.keys() ?? [])].some(isSuccess)
  }

  /** One line per operation. */
  table(): string {
    const width = Math.max(...[...this.#statuses.keys()].map((name) => name.length))
    const lines = [...this.#statuses]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, statuses]) => {
        const counts = [...statuses].toSorted(([one], [other]) => (one < other ? -1 : 1))
        return `${name.padEnd(width)}  ${counts.map(([status, count]) => `${status}: ${figure(count)}`).join(', ')}`
      })
    return lines.join('\n')
  }

  byKind(): string {
    return [...this.#sent].map(([kind, count]) => `${kind} ${figure(count)}`).join(', ')
  }
}

export function figure(value: number): string {
  return value.toLocaleString('en')
}

function isSuccess(status: string): boolean {
  return /^[23]\d\d$/.test(status)
}

function keyOf({ kind, operation, what }: Omit<Fault, 'sent'>): string {
  return `${kind} ${operation} ${what.slice(0, 30)}`
}

export function describeFault({ kind, operation, what, sent }: Fault): string {
  return `${kind}, ${operation}: ${what}\n${sent}`
}
