import { createBrowserRouter, type RouteObject } from 'react-router'
import { AnyCustomer, AnyPartner, Broken, CustomerGate, Home, NoSuchPage, PartnerGate } from './shell/gates.tsx'

type Module = Record<string, unknown>

/** Each page is a chunk of its own: the first one loads only what it shows. */
function page(path: string, load: () => Promise<Module>, name: string): RouteObject {
  const lazy = async () => ({ Component: (await load())[name] as React.ComponentType })
  return path === '' ? { index: true, lazy } : { path, lazy }
}

const missing: RouteObject = { path: '*', Component: NoSuchPage }

export const router = createBrowserRouter([
  {
    ErrorBoundary: Broken,
    HydrateFallback: () => null,
    children: [
      { path: '/', Component: Home },
      {
        path: '/operator',
        lazy: async () => ({ Component: (await import('./operator/gate.tsx')).OperatorGate }),
        children: [page('partners', () => import('./operator/partners.tsx'), 'Partners'), missing],
      },
      missing,
    ],
  },
])
void [AnyCustomer, AnyPartner, CustomerGate, PartnerGate]
