/** Markup that is safe to put into a page. */
export class Html {
  text

  constructor(text) {
    this.text = text
  }
}

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes every value: names of people and devices are what somebody else typed. */
export function html(parts, ...values) {
  const shown = values.map((value) => {
    if (Array.isArray(value)) return value.map(({ text }) => text).join('')
    return value instanceof Html ? value.text : String(value).replace(/[&<>"']/g, (character) => entities[character])
  })
  return new Html(parts.reduce((all, part, index) => all + shown[index - 1] + part))
}
