import { Type } from 'typebox'
import { authorizationRequestsPerAddress } from '../../../authorization/authorize/pending-requests.ts'
import { accessTokenSeconds } from '../../../authorization/token/lifetimes.ts'
import { signInLimits } from '../../../directory/accounts/sign-in-limits.ts'
import type { App } from '../../../platform/http/app.ts'
import { ownLimits } from '../../../platform/own-limits.ts'
import { specLimits } from '../../../platform/spec-limits.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'

const Limit = Type.Object(
  {
    what: Type.String(),
    per: Type.String({ description: 'What the limit is counted by: an address, an application, an account …' }),
    max: Type.Integer(),
    window_seconds: Type.Integer(),
  },
  { title: 'RateLimit', description: 'A limit of requests per time.' },
)

const Bound = Type.Object(
  {
    what: Type.String(),
    max: Type.Integer(),
    unit: Type.Enum(['characters', 'seconds']),
  },
  { title: 'Bound', description: 'The longest that something may be or last.' },
)

/** The very numbers the code enforces, so that a console never shows outdated ones. */
export function limitRoutes(app: App, { config }: Context): void {
  app.get(
    '/limits',
    tagged('Operator: limits')({
      reads: 'bounded',
      summary: 'Get the limits in force: rates, lengths and lifetimes',
      description: 'The numbers that this process enforces.',
      response: {
        200: Type.Object(
          { items: Type.Array(Limit), bounds: Type.Array(Bound), next: Type.Null() },
          { title: 'Limits', description: 'The limits in force.' },
        ),
      },
    }),
    async () => ({
      items: [...limits, minute('Registrations', 'hardware key', config.registrationsPerKey)],
      bounds,
      next: null,
    }),
  )
}

const minute = (what: string, per: string, max: number) => ({ what, per, max, window_seconds: 60 })
const signInSeconds = signInLimits.windowMilliseconds / 1000

const limits = [
  minute('Authorization endpoint', 'address', authorizationRequestsPerAddress),
  minute('Token endpoint', 'address', specLimits.tokenRequestsPerAddress),
  minute('Token endpoint', 'application', specLimits.tokenRequestsPerClient),
  minute('Revocation endpoint', 'address', specLimits.revocationRequestsPerAddress),
  minute('Userinfo endpoint', 'address', specLimits.userinfoRequestsPerAddress),
  minute('Discovery', 'address', specLimits.discoveryRequestsPerAddress),
  minute('Key set', 'address', specLimits.keySetRequestsPerAddress),
  minute('Wrong operator and API keys', 'address', ownLimits.wrongKeysPerAddress),
  minute('Failed claims', 'user', ownLimits.failedClaimsPerUser),
  minute('Failed claims', 'all API keys and tokens of a customer', ownLimits.failedClaimsByKeysOfCustomer),
  minute('Failed claims', 'customer', ownLimits.failedClaimsPerCustomer),
  minute('Failed claims', 'address', ownLimits.failedClaimsPerAddress),
  minute('Refused registrations', 'address', ownLimits.refusedRegistrationsPerAddress),
  minute('Refused registrations', 'address and model', ownLimits.refusedRegistrationsPerAddressAndModel),
  minute('Refused mass telemetry above 64 KiB', 'address and process', ownLimits.refusedLargeCallsPerAddress),
  minute('Requests to approve an application', 'user', ownLimits.approvalRequestsPerUser),
  minute('Sign-ins', 'account', ownLimits.signInsPerAccount),
  minute('Sign-ins', 'address', ownLimits.signInsPerAddress),
  {
    what: 'Failed sign-ins',
    per: 'account and address',
    max: signInLimits.accountAndAddress,
    window_seconds: signInSeconds,
  },
  { what: 'Failed sign-ins', per: 'address', max: signInLimits.address, window_seconds: signInSeconds },
]

const bounds = [
  { what: 'state', max: specLimits.stateCharacters, unit: 'characters' as const },
  { what: 'nonce', max: specLimits.nonceCharacters, unit: 'characters' as const },
  { what: 'Authorization code lifetime', max: specLimits.authorizationCodeSeconds, unit: 'seconds' as const },
  { what: 'Access token lifetime', max: accessTokenSeconds, unit: 'seconds' as const },
  { what: 'Refresh token lifetime', max: specLimits.refreshTokenSeconds, unit: 'seconds' as const },
  { what: 'Refresh replay grace window', max: specLimits.refreshGraceSeconds, unit: 'seconds' as const },
]
