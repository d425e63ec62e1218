import { accentShades } from '../../platform/pages/accent.ts'
import { type Html, html } from '../../platform/pages/html.ts'
import type { MailContent, Paragraph } from './new-mail.ts'

/** The colours of platform/pages/stylesheet.css. Light ones are inline, for programs that read no style sheet. */
const light = { ground: '#f4f5f3', surface: '#ffffff', text: '#1c2321', quiet: '#59635f', line: '#d9ddda' }
const dark = { ground: '#121517', surface: '#1b1f22', text: '#e8ebe9', quiet: '#a3ada8', line: '#343a3e' }
const ownAccent = {
  light: { accent: '#0b6b57', onAccent: '#ffffff' },
  dark: { accent: '#5cc4a9', onAccent: '#08211b' },
}
const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
const mono = 'ui-monospace, Menlo, Consolas, monospace'
export const serviceName = 'Landbridge'

const automatic = 'This mail was sent automatically; replies are not read.'

export function renderText({ paragraphs, action, brand }: MailContent): string {
  const parts = paragraphs.map(textOf)
  if (action) parts.push(`${action.label}:\n${action.url}`)
  parts.push(`-- \n${brand?.name ?? serviceName}\n${automatic}`)
  return `${parts.join('\n\n')}\n`
}

function textOf(paragraph: Paragraph): string {
  if (typeof paragraph === 'string') return paragraph
  if ('code' in paragraph) return `    ${paragraph.code}`
  return paragraph.facts.map(({ label, value }) => `${label}: ${value}`).join('\n')
}

/** No remote images, nothing that reports whether it was read. */
export function renderHtml(subject: string, { paragraphs, action, brand }: MailContent): string {
  const name = brand?.name ?? serviceName
  const accent = (brand?.accent && accentShades(brand.accent)) || ownAccent
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.ground{background:${dark.ground}!important}
.surface{background:${dark.surface}!important;border-color:${dark.line}!important}
.text{color:${dark.text}!important}
.quiet{color:${dark.quiet}!important}
.line{border-color:${dark.line}!important}
.brand{color:${accent.dark.accent}!important}
.button{background:${accent.dark.accent}!important;color:${accent.dark.onAccent}!important}
.link{color:${accent.dark.accent}!important}
}
</style>
</head>
<body class="ground" style="margin:0;padding:0;background:${light.ground}">
<table role="presentation" class="ground" width="100%" cellspacing="0" cellpadding="0" style="background:${light.ground}">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="max-width:560px">
<tr><td class="brand" style="padding:0 4px 16px;font:600 18px/1.4 ${font};color:${accent.light.accent}">${name}</td></tr>
<tr><td class="surface text" style="padding:28px 28px 12px;background:${light.surface};border:1px solid ${light.line};border-radius:10px;font:16px/1.5 ${font};color:${light.text}">
<h1 class="text" style="margin:0 0 16px;font:600 20px/1.3 ${font};color:${light.text}">${subject}</h1>
${paragraphs.map(htmlOf)}
${action && button(action, accent.light)}
</td></tr>
<tr><td class="quiet" style="padding:16px 4px 0;font:13px/1.5 ${font};color:${light.quiet}">${automatic}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
  return page.markup
}

function htmlOf(paragraph: Paragraph): Html {
  if (typeof paragraph === 'string') return html`<p style="margin:0 0 16px;overflow-wrap:break-word">${paragraph}</p>\n`
  if ('code' in paragraph) {
    return html`<p class="text" style="margin:0 0 16px;font:600 28px/1.3 ${mono};letter-spacing:3px">${paragraph.code}</p>\n`
  }
  const rows = paragraph.facts.map(
    ({ label, value }) =>
      html`<tr><td class="quiet" style="padding:2px 16px 2px 0;color:${light.quiet};vertical-align:top">${label}</td><td style="padding:2px 0;overflow-wrap:anywhere">${value}</td></tr>\n`,
  )
  return html`<table role="presentation" cellspacing="0" cellpadding="0" style="margin:0 0 16px;font-size:15px">${rows}</table>\n`
}

/** The address too, for those who want to see where a button leads, or whose program shows no buttons. */
function button(
  { label, url }: { label: string; url: string },
  { accent, onAccent }: { accent: string; onAccent: string },
): Html {
  return html`<p style="margin:24px 0 16px"><a class="button" href="${url}" style="display:inline-block;padding:11px 20px;border-radius:8px;background:${accent};color:${onAccent};font-weight:600;text-decoration:none">${label}</a></p>
<p class="quiet line" style="margin:0 0 16px;padding-top:16px;border-top:1px solid ${light.line};font-size:13px;color:${light.quiet}">If the button does not work, open this address:<br><a class="link" href="${url}" style="color:${accent};overflow-wrap:anywhere">${url}</a></p>`
}
