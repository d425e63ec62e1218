// Runs in the browser, after Swagger UI and plugins.js.
const dark = matchMedia('(prefers-color-scheme: dark)')
// As it was chosen in the portal.
const chosen = /(?:^|; )landbridge_scheme=(light|dark)/.exec(document.cookie)?.[1]
const followScheme = () =>
  document.documentElement.classList.toggle('dark-mode', chosen ? chosen === 'dark' : dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

async function read(path) {
  const response = await fetch(path)
  return response.status === 200 ? await response.text() : null
}

/** The document with examples and samples that work here: of this service and, where there is one, of its lab. */
function fitted(text, lab) {
  const here = text.replaceAll('https://landbridge.example.com', location.origin)
  if (!lab) return JSON.parse(here)
  const { device_model, hardware_key, mac, sn } = registrationOf(JSON.parse(here)).example
  const identity = { mac: randomMac(), sn: `LAB-${Date.now().toString(36)}` }
  return JSON.parse(
    here
      .replaceAll(device_model, lab.model_id)
      .replaceAll(hardware_key, lab.hardware_key)
      .replaceAll(mac, identity.mac)
      .replaceAll(sn, identity.sn),
  )
}

function registrationOf(spec) {
  return spec.paths['/v1/devices'].post.requestBody.content['application/json']
}

/** Of the addresses that anyone may use. */
function randomMac() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(5))]
  return ['02', ...bytes.map((byte) => byte.toString(16).padStart(2, '0'))].join(':')
}

async function start() {
  const [text, labText] = await Promise.all([read('/openapi.json'), read('/docs/lab.json')])
  if (text === null) {
    document.getElementById('reference').textContent = 'The reference cannot be read now. Reload the page in a moment.'
    return
  }
  const lab = labText && JSON.parse(labText)
  const reference = window.SwaggerUIBundle({
    spec: fitted(text, lab),
    dom_id: '#reference',
    deepLinking: true,
    filter: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    displayOperationId: true,
    displayRequestDuration: true,
    requestSnippetsEnabled: true,
    validatorUrl: null,
    plugins: window.referencePlugins,
  })
  if (!lab) return
  reference.preauthorizeBasic('client', lab.client_id, lab.client_secret)
  document.getElementById('lab-email').textContent = lab.email
  document.getElementById('lab').hidden = false
}

void start()
