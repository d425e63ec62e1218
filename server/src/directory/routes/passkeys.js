// Presents or creates a passkey, and sends what the browser returned with the form around its button.

const conditional = new AbortController()

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!('PublicKeyCredential' in window && PublicKeyCredential.parseRequestOptionsFromJSON)) break
  form.hidden = false
  form.addEventListener('submit', (event) => {
    if (form.elements.credential.value) return
    event.preventDefault()
    void ask(form)
  })
  if ('autofill' in form.dataset) void offer(form)
}

async function ask(form) {
  conditional.abort()
  const button = form.querySelector('button')
  button.disabled = true
  say(form, '')
  try {
    const options = JSON.parse(form.dataset.options)
    const credential =
      form.dataset.passkey === 'create'
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
    send(form, credential)
  } catch (error) {
    say(form, form.dataset[error.name === 'InvalidStateError' ? 'known' : 'failed'] ?? form.dataset.failed)
    button.disabled = false
  }
}

/** In the list that the browser shows at the email field. */
async function offer(form) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.options))
    const wanted = { publicKey, mediation: 'conditional', signal: conditional.signal }
    send(form, await navigator.credentials.get(wanted))
  } catch {
    // The person uses the button, or the password.
  }
}

function send(form, credential) {
  form.elements.credential.value = JSON.stringify(credential.toJSON())
  form.requestSubmit()
}

function say(form, sentence) {
  const place = form.querySelector('[role=alert]')
  place.textContent = sentence
  place.hidden = !sentence
}

// A page that the browser kept comes back with a credential that was used.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
