import type { ComponentType } from 'react'
import { type RouteObject, useParams, useRoutes } from 'react-router'
import { Overview } from './customer/overview.tsx'
import type { PageModule } from './page-module.ts'
import { customerPages, guidePage, operatorConsole, operatorPages, partnerPages } from './pages.ts'
import { Start } from './partner/start.tsx'
import { HelpLayout } from './shell/help-layout.tsx'
import { AnyCustomer, AnyPartner, CustomerLayout, Home, NoSuchPage, PartnerLayout } from './shell/layouts.tsx'
import { lazyPage } from './shell/page-loader.tsx'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const missing: RouteObject = { path: '*', Component: NoSuchPage }

const customer = [{ index: true, Component: Overview }, ...customerPages.map(routeOf), missing]
const partner = [{ index: true, Component: Start }, ...partnerPages.map(routeOf), missing]
const operator = [...operatorPages.map(routeOf), missing]

const Guide = lazyPage(guidePage)

const routes: RouteObject[] = [
  { path: '/', Component: Home },
  { path: '/customer/:customerId', Component: byId('customerId', CustomerLayout, AnyCustomer), children: customer },
  { path: '/customer/*', Component: AnyCustomer },
  { path: '/partner/:partnerId', Component: byId('partnerId', PartnerLayout, AnyPartner), children: partner },
  { path: '/partner/*', Component: AnyPartner },
  { path: operatorConsole.path, Component: lazyPage(operatorConsole), children: operator },
  {
    path: '/help',
    Component: HelpLayout,
    children: [
      { index: true, Component: Guide },
      { path: ':guide', Component: Guide },
    ],
  },
  missing,
]

export function Routes() {
  return useRoutes(routes)
}

function routeOf(page: PageModule): RouteObject {
  const Component = lazyPage(page)
  return page.path === '' ? { index: true, Component } : { path: page.path, Component }
}

/** An address without an id, such as `/customer/devices`, is redirected to the user's own. */
function byId(name: string, Named: ComponentType, Unnamed: ComponentType): ComponentType {
  return function Which() {
    const { [name]: id } = useParams()
    return id && uuid.test(id) ? <Named /> : <Unnamed />
  }
}
