import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Parameters } from '../../platform/http/form.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import type { Factors, PresentedFactor } from '../accounts/factors/factors.ts'
import { passkeyForm } from './passkey-form.ts'

interface FactorForms {
  action: string
  return_to: string
  factors: Factors
  /** Null when none of the person's passkeys works on this domain. */
  options: PublicKeyCredentialRequestOptionsJSON | null
}

/** The ways to present a second factor, the strongest first. */
export function factorForms({ action, return_to, factors, options }: FactorForms): Content {
  const back = html`<input type="hidden" name="return_to" value="${return_to}">`
  const others = factors.totp || factors.recovery_codes_left > 0
  return html`
${options && withPasskey(action, back, options)}
${options && html`<noscript><p>Passkeys need JavaScript.${others && ' Use a code instead:'}</p></noscript>`}
${!options && factors.passkey_domains.length > 0 && elsewhere(factors.passkey_domains)}
${factors.totp && withCode(action, back, options === null)}
${factors.recovery_codes_left > 0 && withRecoveryCode(action, back, !factors.totp && options === null)}`
}

function withPasskey(action: string, back: Content, options: PublicKeyCredentialRequestOptionsJSON): Content {
  const button = html`<div class="actions"><button class="primary">Use a passkey</button></div>`
  return passkeyForm({ action, options, fields: back, button })
}

function elsewhere(domains: string[]): Content {
  const names = [...new Set(domains)].join(', ')
  return html`<div class="note"><p>Your passkeys work on ${names} only, since a passkey belongs to one domain.</p></div>`
}

function withCode(action: string, back: Content, isFirst: boolean): Content {
  return html`
<form method="post" action="${action}">
${back}
<div class="field"><label>Code from your authenticator app
<input name="totp" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]*" maxlength="8" required ${isFirst && html`autofocus`}></label></div>
<div class="actions"><button${isFirst && html` class="primary"`}>Continue with the code</button></div>
</form>`
}

function withRecoveryCode(action: string, back: Content, isOnly: boolean): Content {
  return html`
<details${isOnly && html` open`}><summary>Use a recovery code</summary>
<form method="post" action="${action}">
${back}
<div class="field"><label>Recovery code
<input name="recovery_code" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="40" required>
<span class="hint">One of the codes you saved. Each works once.</span></label></div>
<div class="actions"><button>Continue with the recovery code</button></div>
</form></details>`
}

/** Null when the form has none. */
export function presentedFactor(form: Parameters): PresentedFactor | null {
  for (const [field, kind] of [
    ['credential', 'passkey'],
    ['totp', 'totp'],
    ['recovery_code', 'recovery_code'],
  ] as const) {
    const value = form.get(field)
    if (value !== undefined) return { kind, value: kind === 'passkey' ? value : value.slice(0, 40) }
  }
  return null
}

export const factorSentences = {
  wrong: {
    totp: 'This code is not right, or was used before. Wait for the next one and try again.',
    recovery_code: 'This recovery code is not right, or was used before.',
    passkey: 'This passkey was not accepted. Try again, or choose another way.',
  },
  too_many: 'Too many attempts. Wait five minutes and try again.',
} as const
