// The service on real sockets, in this process, with a real clock.
import { digest } from '../../server/src/platform/secrets/secrets.ts'
import { openCode, registerApplication } from '../support/applications.ts'
import { type Harness, listen } from '../support/harness.ts'
import type { Contender } from './requests.ts'

export async function landbridge(service: Harness, challenge: string): Promise<Contender> {
  const url = await listen(service)
  const application = await registerApplication(service)
  const { client_id, client_secret, redirect_uri } = application
  return {
    name: 'landbridge',
    paths: {
      ...{ authorize: `${url}/oauth/authorize`, token: `${url}/oauth/token`, revoke: `${url}/oauth/revoke` },
      ...{ userinfo: `${url}/oauth/userinfo`, discovery: `${url}/.well-known/openid-configuration` },
      jwks: `${url}/oauth/.well-known/jwks.json`,
    },
    ...{ client_id, client_secret, redirect_uri },
    async newCode() {
      const { code } = await openCode(service, application, { scope: 'openid email' })
      await service.sql`update authorization_codes set code_challenge = ${challenge} where digest = ${digest(code)}`
      return code
    },
  }
}
