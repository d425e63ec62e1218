import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/http.ts'
import type { Application } from '../api/partner.ts'
import { CodeBlock } from '../components/page/copy.tsx'
import { Panel } from '../components/page/page.tsx'

/** Code with this application's values, ready to paste. */
export function HowToConnect({ application }: { application: Application }) {
  const [kind, setKind] = useState('kit')
  const discovery = useQuery({
    queryKey: ['discovery'],
    queryFn: () => read('GET /.well-known/openid-configuration', {}),
    staleTime: 3_600_000,
  })
  const issuer = discovery.data?.issuer ?? location.origin
  const redirectUri = application.redirect_uris[0] ?? 'https://app.example.com/callback'
  const codes: Record<string, string> = {
    kit: kitCode(issuer, application, redirectUri),
    node: nodeCode(issuer, application, redirectUri),
    python: pythonCode(issuer, application, redirectUri),
    curl: curlCode(issuer, application, redirectUri),
  }
  return (
    <Panel
      title="How to connect"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Language"
          value={kind}
          onChange={setKind}
          data={[
            { value: 'kit', label: 'Partner kit' },
            { value: 'node', label: 'openid-client' },
            { value: 'python', label: 'Python' },
            { value: 'curl', label: 'curl' },
          ]}
        />
      }
    >
      <Stack gap="sm">
        <Text size="sm" maw={760}>
          Send the user’s browser to the authorization endpoint with PKCE and exchange the code within 60 seconds.
          Refresh within the hour and store the new refresh token each time: it works only once. Discovery document:{' '}
          <Text span ff="monospace" size="xs">
            {issuer}/.well-known/openid-configuration
          </Text>
          .
        </Text>
        <CodeBlock code={codes[kind]!} />
      </Stack>
    </Panel>
  )
}

function kitCode(issuer: string, { client_id }: Application, redirectUri: string): string {
  return `// npm install ${issuer}/kit.tgz
import { Application } from '@landbridge/client'
import { fileTokenStore } from '@landbridge/client/file'

const application = new Application({
  url: '${issuer}',
  clientId: '${client_id}',
  clientSecret: process.env.LANDBRIDGE_CLIENT_SECRET,
  redirectUri: '${redirectUri}',
  store: fileTokenStore({ folder: 'tokens', key: process.env.TOKEN_KEY }), // openssl rand -base64 32
})

// 1. Redirect the user to url, and store pending in their session.
const { url, pending } = await application.begin()

// 2. At your redirect URI: exchange the code for tokens, which the kit stores.
const { org_id } = await application.finish(currentUrl, pending)

// 3. Call the organization API, also after a restart. The kit refreshes.
const organization = application.organization(org_id)
for await (const user of organization.users.list()) console.log(user.email)`
}

function nodeCode(issuer: string, { client_id }: Application, redirectUri: string): string {
  return `// npm install openid-client
import * as client from 'openid-client'

const config = await client.discovery(
  new URL('${issuer}'),
  '${client_id}',
  process.env.LANDBRIDGE_CLIENT_SECRET,
)

// 1. Redirect the user, and store verifier and state in their session.
const verifier = client.randomPKCECodeVerifier()
const state = client.randomState()
const url = client.buildAuthorizationUrl(config, {
  redirect_uri: '${redirectUri}',
  scope: 'openid profile email',
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
})

// 2. At your redirect URI: exchange the code for tokens.
const tokens = await client.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
})

// 3. Call the organization API.
const users = await fetch('${issuer}/core/v1/organization/users', {
  headers: { authorization: \`Bearer \${tokens.access_token}\` },
})

// 4. Before it expires: refresh, and store the new tokens.
const fresh = await client.refreshTokenGrant(config, tokens.refresh_token)`
}

function pythonCode(issuer: string, { client_id }: Application, redirectUri: string): string {
  return `# pip install authlib requests
import os
from authlib.integrations.requests_client import OAuth2Session
from authlib.common.security import generate_token

session = OAuth2Session(
    "${client_id}",
    os.environ["LANDBRIDGE_CLIENT_SECRET"],
    scope="openid profile email",
    redirect_uri="${redirectUri}",
    code_challenge_method="S256",
)
verifier = generate_token(48)
url, state = session.create_authorization_url(
    "${issuer}/oauth/authorize", code_verifier=verifier)

# at your redirect URI
tokens = session.fetch_token(
    "${issuer}/oauth/token",
    authorization_response=current_url, state=state, code_verifier=verifier)

users = session.get("${issuer}/core/v1/organization/users").json()
tokens = session.refresh_token("${issuer}/oauth/token")  # store it: the old one no longer works`
}

function curlCode(issuer: string, { client_id }: Application, redirectUri: string): string {
  return `# 1. create a verifier and its challenge
VERIFIER=$(openssl rand -base64 48 | tr '+/' '-_' | tr -d '=\\n')
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=')

# 2. open this in a browser, sign in and approve
echo "${issuer}/oauth/authorize?response_type=code&client_id=${client_id}&redirect_uri=${encodeURIComponent(redirectUri)}&scope=openid%20profile%20email&state=$(openssl rand -hex 8)&code_challenge=$CHALLENGE&code_challenge_method=S256"

# 3. within 60 seconds: exchange the code from the redirect
curl -u '${client_id}:'"$LANDBRIDGE_CLIENT_SECRET" ${issuer}/oauth/token \\
  -d grant_type=authorization_code -d code="$CODE" \\
  -d code_verifier="$VERIFIER" --data-urlencode 'redirect_uri=${redirectUri}'

# 4. use it
curl -H "Authorization: Bearer $ACCESS_TOKEN" ${issuer}/core/v1/organization/users`
}
