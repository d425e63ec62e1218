// Runs in the browser, after Swagger UI itself.
const dark = matchMedia('(prefers-color-scheme: dark)')
// As it was chosen in the portal.
const chosen = /(?:^|; )landbridge_scheme=(light|dark)/.exec(document.cookie)?.[1]
const followScheme = () =>
  document.documentElement.classList.toggle('dark-mode', chosen ? chosen === 'dark' : dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

// Swagger UI resolves references with seconds of work per operation; our document has none, so it is shown as it is.
const withoutResolving = () => ({
  statePlugins: {
    spec: {
      wrapActions: { requestResolvedSubtree: () => () => {} },
      wrapSelectors: {
        specResolvedSubtree:
          (_original, { getSystem }) =>
          (_state, path) =>
            getSystem().specSelectors.specJson().getIn(path),
      },
    },
  },
})

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  filter: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  validatorUrl: null,
  plugins: [withoutResolving],
})
