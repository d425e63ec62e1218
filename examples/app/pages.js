import { Html, html } from './html.js'

/** Nothing from elsewhere, nothing inline, never framed. */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'"

export function page(body, status = 200) {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Roomwise</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/app.css">
<script type="module" src="/app.js"></script>
</head>
<body>${body}</body>
</html>`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  return new Response(text, { status, headers })
}

export function errorPage(status, title, text) {
  return page(
    html`${brand}<main class="welcome"><h1>${title}</h1><p>${text}</p><a class="button" href="/">Back</a></main>`,
    status,
  )
}

const brand = html`<header class="bar"><a class="brand" href="/"><span class="mark" aria-hidden="true"></span>Roomwise</a></header>`

/** `session` is one that was connected before. */
export function welcomePage({ session, service }) {
  const hasEnded = session?.hasEnded ?? false
  const ended = html`<p class="notice" role="status">The connection has ended. Roomwise no longer has access to the organization.</p>`
  return html`${brand}
<main class="welcome">
${hasEnded ? ended : new Html('')}
<h1>See how your rooms are doing</h1>
<p>Connect your organization, and Roomwise shows its people and devices as they are at this moment. You choose what to connect on
the next page, and you can end it at any time.</p>
<a class="button" href="/connect">${hasEnded ? 'Connect again' : 'Connect your organization'}</a>
<p class="quiet">You will be sent to ${new URL(service).host} to sign in and agree.</p>
${hasEnded ? wirePanel(session, 'What happened last: the newest request is on top.') : new Html('')}
</main>`
}

export function connectedPage({ session, info, users, devices, service }) {
  return html`<header class="bar">
<a class="brand" href="/"><span class="mark" aria-hidden="true"></span>Roomwise</a>
<h1 class="organization">${info.name}</h1>
<form method="post" action="/disconnect"><input type="hidden" name="csrf" value="${session.csrf}">
<button class="plain">Disconnect</button></form>
</header>
<div class="columns">
<main>
<section aria-labelledby="devices"><h2 id="devices">Devices <small>${info.counts.devices}</small></h2>
${devices.length > 0 ? html`<ul class="cards">${devices.map(deviceCard)}</ul>` : noDevices}
${info.counts.devices > devices.length ? html`<p class="quiet">Showing ${devices.length} of ${info.counts.devices}.</p>` : new Html('')}
</section>
<section aria-labelledby="people"><h2 id="people">People <small>${info.counts.users}</small></h2>
<ul class="people">${users.map(personRow)}</ul>
</section>
<p class="quiet">Connected by ${session.person}. An administrator can end it under Settings → Connected apps at ${new URL(service).host}.</p>
</main>
${wirePanel(session, 'Every request that Roomwise makes for this page, and what comes back.', html`<span class="live" id="live">connecting</span>`)}
</div>`
}

function wirePanel({ recent }, text, note = new Html('')) {
  return html`<aside class="panel" aria-labelledby="wire"><h2 id="wire">On the wire ${note}</h2>
<p class="quiet">${text}</p>
<ol id="log" tabindex="0" aria-labelledby="wire" data-recent="${JSON.stringify(recent)}"></ol>
</aside>`
}

const noDevices = html`<div class="empty"><p>No devices yet. Claim one in the portal, or let some appear:</p>
<code>npx landbridge simulate --devices 24 --claim</code></div>`

function deviceCard({ id, name, sn, status, state, firmware_version }) {
  const values = Object.entries(state).slice(0, 4)
  return html`<li class="card" data-device="${id}" data-status="${status}">
<div class="head"><h3>${name ?? sn}</h3><span class="status">${statusWords[status] ?? status}</span></div>
<svg class="spark" viewBox="0 0 120 28" preserveAspectRatio="none" aria-hidden="true"></svg>
<dl>${values.map(([key, { value }]) => html`<div><dt>${key.replaceAll('_', ' ')}</dt><dd data-key="${key}">${String(value)}</dd></div>`)}</dl>
<p class="quiet">${sn} · ${firmware_version}</p>
</li>`
}

const statusWords = {
  never_seen: 'Waiting',
  online: 'Online',
  offline: 'Offline',
  error: 'Fault',
}

function personRow({ name, email, role }) {
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .map(([first]) => first ?? '')
    .join('')
  return html`<li><span class="avatar" aria-hidden="true">${initials}</span><span class="who"><strong>${name}</strong>
<span class="quiet">${email}</span></span><span class="role">${role}</span></li>`
}
