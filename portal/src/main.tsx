import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { onRegained } from './api/connection.ts'
import { ApiError } from './api/http.ts'
import { loadAgain } from './api/session.tsx'
import { Routes } from './routes.tsx'
import { schemeManager } from './scheme.ts'
import { LateNotifications } from './shell/late-notifications.tsx'
import { LateTooltips } from './shell/late-tooltips.tsx'
import { WithErrorPage } from './shell/layouts.tsx'
import { cssVariables, theme } from './theme.ts'

// Browsers hide the attribute from selectors, but not the property from scripts.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
// The scroll lock of an open dialog adds a style element.
setNonce(nonce)

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Only failures that may be temporary are retried; while the service is away, they wait until it is back.
      retry: (count, error) => count < 2 && (!(error instanceof ApiError) || (error.status >= 500 && !error.away)),
      // Requests find out themselves: a browser that says it is offline may still reach the service.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
onRegained(() => void loadAgain(client))

createRoot(document.querySelector('#portal')!).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    colorSchemeManager={schemeManager}
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={client}>
      <LateNotifications />
      <LateTooltips />
      <BrowserRouter>
        <WithErrorPage>
          <Suspense>
            <Routes />
          </Suspense>
        </WithErrorPage>
      </BrowserRouter>
    </QueryClientProvider>
  </MantineProvider>,
)
