import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { ApiError } from './api/http.ts'
import { Routes } from './routes.tsx'
import { schemeManager } from './scheme.ts'
import { LateNotifications } from './shell/late-notifications.tsx'
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
      // Only failures that may be temporary are retried.
      retry: (count, error) => count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
    },
  },
})

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
