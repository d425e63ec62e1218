// Loaded before the service: no name exists, so that webhooks and domains that a test makes up reach nobody.
import { promises as dns } from 'node:dns'

const refuse = async () => {
  throw Object.assign(new Error('no name exists here'), { code: 'ENOTFOUND' })
}
Object.assign(dns.Resolver.prototype, { resolve4: refuse, resolve6: refuse, resolveTxt: refuse })
