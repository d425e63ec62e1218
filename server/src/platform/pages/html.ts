/** Markup that is sent as it is; everything else in a template is text and gets escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

export type Content = Html | string | number | null | undefined | false | readonly Content[]

/** html`<p>${text}</p>`: values are escaped for text and for quoted attributes, so always quote attributes. */
export function html(strings: TemplateStringsArray, ...contents: Content[]): Html {
  return new Html(strings.reduce((markup, string, index) => markup + render(contents[index - 1]) + string))
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function render(content: Content): string {
  if (content === null || content === undefined || content === false) return ''
  if (content instanceof Html) return content.markup
  if (typeof content === 'string') return escapeHtml(content)
  if (typeof content === 'number') return String(content)
  return content.map(render).join('')
}
