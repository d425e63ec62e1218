import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './styles.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { onRegained } from './api/connection.ts'
import { ApiError } from './api/http.ts'
import { loadAgain } from './api/session.tsx'
import { router } from './routes.tsx'
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
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={client}>
      <Notifications position="bottom-right" />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
)
