// Plugins of Swagger UI for the reference, in the browser. Loaded before start.js.

/** Swagger UI's own resolver takes seconds per operation. Our references lead to named parts of the same document. */
const resolveReferences = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        requestResolvedSubtree:
          (_original, { specSelectors, specActions }) =>
          (path) => {
            const part = specSelectors.specJson().getIn(path)
            if (!part || specSelectors.specResolvedSubtree(path)) return
            specActions.updateResolvedSubtree(path, resolved(part.toJS(), specSelectors.specJson()))
          },
      },
    },
  },
})

function resolved(part, document) {
  if (Array.isArray(part)) return part.map((item) => resolved(item, document))
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...rest } = part
  const own = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, resolved(value, document)]))
  if (typeof $ref !== 'string') return own
  const path = $ref.split('/').slice(1)
  const target = resolved(document.getIn(path).toJS(), document)
  // The name of a schema is shown where it is used.
  return { ...(path[1] === 'schemas' ? { title: path[2] } : {}), ...target, ...own }
}

/** The box at the top finds operations by every word of what they are called and what they do. */
const searchOperations = () => ({
  wrapComponents: { FilterContainer: withNamedBox },
  fn: {
    opsFilter: (sections, phrase) => {
      const words = phrase.toLowerCase().split(/\s+/).filter(Boolean)
      return sections
        .map((section, tag) => section.update('operations', (all) => all.filter((one) => matches(one, tag, words))))
        .filter((section) => section.get('operations').size > 0)
    },
  },
  statePlugins: {
    layout: {
      wrapSelectors: {
        // What was found is shown, not only the section it is in.
        isShown:
          (original, { layoutSelectors }) =>
          (_state, thing, usual) => {
            const phrase = layoutSelectors.currentFilter()
            const isSection = [thing].flat()[0] === 'operations-tag'
            return original(thing, isSection && typeof phrase === 'string' && phrase !== '' ? true : usual)
          },
      },
    },
  },
})

const withNamedBox =
  (original, { React }) =>
  (props) =>
    React.createElement('div', { ref: nameSearchBox }, React.createElement(original, props))

function nameSearchBox(element) {
  const box = element?.querySelector('input')
  if (!box) return
  box.placeholder = 'Search operations: words of names, paths and descriptions'
  box.setAttribute('aria-label', 'Search operations')
}

function matches(one, tag, words) {
  const operation = one.get('operation')
  const named = ['operationId', 'summary', 'description'].map((name) => operation.get(name))
  const text = [tag, one.get('method'), one.get('path'), ...named].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

function CodeSamples({ React, samples }) {
  const { createElement: h } = React
  const [chosen, choose] = React.useState(0)
  const [copied, setCopied] = React.useState(false)
  const { source } = samples[Math.min(chosen, samples.length - 1)]
  const copy = async () => {
    await navigator.clipboard.writeText(source)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  const tab = ({ label }, index) =>
    h('button', { key: label, type: 'button', 'aria-pressed': index === chosen, onClick: () => choose(index) }, label)
  return h(
    'section',
    { className: 'code-samples', 'aria-label': 'Code samples' },
    h('div', { className: 'opblock-section-header' }, h('h4', null, 'Code samples'), ...samples.map(tab)),
    h(
      'div',
      { className: 'code-sample' },
      h('button', { type: 'button', className: 'copy', onClick: copy }, copied ? 'Copied' : 'Copy'),
      h('pre', { tabIndex: 0 }, source),
    ),
  )
}

/** `x-codeSamples` of each operation, above its responses. */
const showCodeSamples = ({ React }) => ({
  wrapComponents: {
    responses:
      (Original, { specSelectors }) =>
      (props) => {
        const { createElement: h } = React
        const samples = specSelectors.specJson().getIn(['paths', props.path, props.method, 'x-codeSamples'])
        const before = samples ? [h(CodeSamples, { key: 'samples', React, samples: samples.toJS() })] : []
        return h(React.Fragment, null, ...before, h(Original, { key: 'responses', ...props }))
      },
  },
})

globalThis.referencePlugins = [resolveReferences, searchOperations, showCodeSamples]
