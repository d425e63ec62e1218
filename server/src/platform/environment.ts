import { isIP } from 'node:net'

export interface Fault {
  variable: string
  message: string
}

/** A whole number in words: `of` is what it counts. */
interface Count {
  fallback: number
  min?: number
  max: number
  of?: string
  /** What else is allowed, as the end of the sentence: 0, where the least is more. */
  orZero?: string
}

/** Reads variables and never throws: every fault is collected, so that an operator can fix them all at once. */
export class Environment {
  readonly faults: Fault[] = []
  readonly #values: NodeJS.ProcessEnv
  readonly #known = new Set<string>()

  constructor(values: NodeJS.ProcessEnv) {
    this.#values = values
  }

  fault(variable: string, message: string): void {
    this.faults.push({ variable, message })
  }

  /** An empty variable counts as unset: compose files and unit files cannot distinguish them. */
  text(variable: string): string | null {
    this.#known.add(variable)
    return this.#values[variable]?.trim() || null
  }

  /** A text with a form. */
  matching(variable: string, form: RegExp, message: string): string | null {
    const value = this.text(variable)
    if (value !== null && !form.test(value)) this.fault(variable, message)
    return value
  }

  oneOf(variable: string, values: string[], fallback: string): string {
    const value = this.text(variable) ?? fallback
    if (!values.includes(value)) this.fault(variable, `must be one of ${values.join(', ')}`)
    return value
  }

  flag(variable: string, fallback: boolean): boolean {
    const value = this.text(variable)
    if (value === null) return fallback
    if (value === 'true' || value === 'false') return value === 'true'
    this.fault(variable, 'must be true or false')
    return fallback
  }

  port(variable: string, fallback: number): number {
    const value = this.text(variable)
    if (value === null) return fallback
    if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value)
    this.fault(variable, 'must be a port from 0 to 65535 (0 means any free one)')
    return fallback
  }

  count(variable: string, { fallback, min = 0, max, of, orZero }: Count): number {
    const value = this.text(variable) ?? String(fallback)
    const count = Number(value)
    const isZero = orZero !== undefined && count === 0
    if (!/^\d{1,9}$/.test(value) || count > max || (count < min && !isZero)) {
      const number = of ? `a number of ${of}` : 'a number'
      this.fault(variable, `must be ${number} from ${min} to ${max}${orZero ? `, or 0 ${orZero}` : ''}`)
    }
    return count
  }

  /** `name=number` with commas between them: of each name its number, or its default. */
  numbers<Name extends string>(variable: string, defaults: Record<Name, number>): Record<Name, number> {
    const values = { ...defaults }
    for (const part of this.#list(variable)) {
      const [name = '', value = '', ...rest] = part.split('=')
      if (!Object.hasOwn(defaults, name) || rest.length > 0 || !/^[1-9]\d{0,8}$/.test(value)) {
        const names = Object.keys(defaults).join(', ')
        this.fault(variable, `"${part}" must be a name, = and a number from 1 to 999999999; the names are ${names}`)
      } else values[name as Name] = Number(value)
    }
    return values
  }

  /** An absolute address, without the slashes at its end. */
  url(variable: string, protocols: string[], { path }: { path: boolean }): string | null {
    const value = this.text(variable)
    if (value === null) return null
    const parsed = URL.parse(value)
    const example = `${protocols.at(-1)}//devices.example.com`
    if (!parsed || !protocols.includes(parsed.protocol)) {
      this.fault(variable, `must be an absolute address, such as ${example}`)
    } else if (parsed.search || parsed.hash || parsed.username || (!path && parsed.pathname.length > 1)) {
      this.fault(variable, `must have no ${path ? '' : 'path, '}query, fragment or credentials, such as ${example}`)
    }
    return value.replace(/\/+$/, '')
  }

  /** Addresses and CIDR ranges, with commas between them. */
  ranges(variable: string): string[] {
    const list = this.#list(variable)
    for (const range of list.filter((each) => !isRange(each))) {
      this.fault(variable, `"${range}" is no address or CIDR range, such as 10.0.0.0/8`)
    }
    return list
  }

  /** Variables with our prefix that nobody has read, such as a misspelled one. */
  unknown(prefix: string): string[] {
    return Object.keys(this.#values)
      .filter((name) => name.startsWith(prefix) && !this.#known.has(name))
      .toSorted()
  }

  #list(variable: string): string[] {
    return (this.text(variable) ?? '').split(',').flatMap((part) => part.trim() || [])
  }
}

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  const widest = family === 6 ? 128 : 32
  return family > 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest))
}
