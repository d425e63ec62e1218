import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { hashedFile } from '../../platform/http/hashed-files.ts'
import type { Directives } from '../../platform/pages/headers.ts'
import { type Content, html } from '../../platform/pages/html.ts'

/** The only script of these pages: they work without it, except for passkeys themselves. */
export const passkeyScript = hashedFile('/pages/', new URL('passkeys.js', import.meta.url))

export const scriptPolicy: Directives = { 'script-src': "'self'" }

interface PasskeyForm {
  action: string
  /** For the browser. */
  options: PublicKeyCredentialCreationOptionsJSON | PublicKeyCredentialRequestOptionsJSON
  create?: boolean
  /** Whether the browser offers passkeys at the email field, too. */
  autofill?: boolean
  fields?: Content
  button: Content
}

const sentences = {
  create: 'No passkey was created. Try again, or choose another device.',
  known: 'This device already has a passkey for your account.',
  get: 'No passkey was used. Try again, or choose another way.',
}

/** Hidden where the browser knows no passkeys. */
export function passkeyForm({
  action,
  options,
  create = false,
  autofill = false,
  fields,
  button,
}: PasskeyForm): Content {
  const failed = create ? sentences.create : sentences.get
  return html`
<script type="module" src="${passkeyScript.address}"></script>
<form method="post" action="${action}" data-passkey="${create ? 'create' : 'get'}"${autofill && html` data-autofill`}
 data-options="${JSON.stringify(options)}" data-failed="${failed}"${create && html` data-known="${sentences.known}"`} hidden>
<input type="hidden" name="credential">
<div class="alert" role="alert" hidden></div>
${fields}
${button}
</form>`
}
