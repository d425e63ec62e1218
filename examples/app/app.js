// The page while it is open. Everything it shows comes from our own server; no token ever reaches it.
const log = document.querySelector('#log')

function start() {
  for (const event of JSON.parse(log.dataset.recent)) showRequest(event)
  const live = document.querySelector('#live')
  if (!live) return
  for (const card of document.querySelectorAll('.card')) {
    const number = [...card.querySelectorAll('dd')].find(({ textContent }) => Number.isFinite(Number(textContent)))
    if (!number) continue
    drawn.set(card, { key: number.dataset.key, values: [Number(number.textContent)] })
    draw(card, Number(number.textContent))
  }
  const events = new EventSource('/events')
  events.onopen = () => setLive('live')
  events.onerror = () => setLive('away')
  events.onmessage = ({ data }) => {
    const event = JSON.parse(data)
    if (event.type === 'wire') showRequest(event)
    else if (event.type === 'ended') location.assign('/')
    else showDevice(event)
  }

  function setLive(word) {
    live.textContent = word
    live.dataset.state = word
  }
}

/** The data point that is drawn on each card, and its last values. */
const drawn = new WeakMap()
const words = { never_seen: 'Waiting', online: 'Online', offline: 'Offline', error: 'Fault' }

function showDevice(event) {
  const card = document.querySelector(`[data-device="${CSS.escape(event.device_id)}"]`)
  const note = event.type === 'state' ? `${Object.keys(event.state).length} values` : (event.status ?? '')
  showEntry('event', event.type, card?.querySelector('h3').textContent ?? short(event.device_id), note)
  if (!card) return
  if (event.type === 'removed') return card.remove()
  card.dataset.status = event.status
  card.querySelector('.status').textContent = words[event.status] ?? event.status
  for (const [key, { value }] of Object.entries(event.state ?? {})) {
    const shown = card.querySelector(`[data-key="${CSS.escape(key)}"]`)
    if (!shown || shown.textContent === String(value)) continue
    shown.textContent = String(value)
    shown.classList.remove('changed')
    // Read, so that the animation starts again.
    void shown.offsetWidth
    shown.classList.add('changed')
  }
  const { value } = event.state?.[drawn.get(card)?.key] ?? {}
  if (typeof value === 'number') draw(card, value)
}

function draw(card, value) {
  const { values } = drawn.get(card)
  values.push(value)
  if (values.length > 40) values.shift()
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const points = values.map((each, index) => {
    const x = (120 * index) / (values.length - 1)
    return `${x.toFixed(1)},${(high === low ? 14 : 26 - (24 * (each - low)) / (high - low)).toFixed(1)}`
  })
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline')
  line.setAttribute('points', points.join(' '))
  card.querySelector('.spark').replaceChildren(line)
}

function showRequest({ method, url, status, milliseconds, error }) {
  const pathname = short(new URL(url).pathname.replace('/core/v1/organization', ''))
  showEntry(
    status === null || status >= 400 ? 'bad' : 'good',
    method,
    pathname,
    error ?? `${status} · ${milliseconds} ms`,
  )
}

/** Ids are long, and look alike. */
function short(text) {
  return text.replace(/([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f-]{23}([0-9a-f]{4})/g, '$1…$2')
}

function showEntry(kind, verb, text, note) {
  const entry = document.createElement('li')
  entry.className = kind
  for (const [name, content] of Object.entries({ verb, text, note })) {
    const part = document.createElement('span')
    part.className = name
    part.textContent = content
    entry.append(part)
  }
  log.prepend(entry)
  while (log.children.length > 60) log.lastChild.remove()
}

if (log) start()
