import type { Item, Responses } from './generated.ts'

export type Partner = Item<'GET /core/v1/operator/partners'>
export type Customer = Item<'GET /core/v1/operator/customers'>
export type CustomerUser = Item<'GET /core/v1/operator/customers/{id}/users'>
export type CustomerApp = Item<'GET /core/v1/operator/customers/{id}/connected-apps'>
export type Person = Item<'GET /core/v1/operator/users'>
export type PersonDetails = Responses['GET /core/v1/operator/users/{id}']
export type NewInvitation = Responses['POST /core/v1/operator/customers/{id}/invitations']
export type Invitation = Item<'GET /core/v1/operator/invitations'>
export type Application = Item<'GET /core/v1/operator/applications'>
export type ApplicationDetails = Responses['GET /core/v1/operator/applications/{client_id}']
export type NewApplication = Responses['POST /core/v1/operator/partners/{id}/applications']
export type ChangedApplication = Responses['PATCH /core/v1/operator/applications/{client_id}']
export type RotatedSecret = Responses['POST /core/v1/operator/applications/{client_id}/secret']
export type PresentationChange = Item<'GET /core/v1/operator/presentation-changes'>
export type PresentationChangeWithLogo = Responses['GET /core/v1/operator/presentation-changes/{id}']
export type HubCell = Item<'GET /core/v1/operator/hub-cells'>
export type SigningKey = Item<'GET /core/v1/operator/signing-keys'>
export type Limits = Responses['GET /core/v1/operator/limits']
export type ReachedLimits = Responses['GET /core/v1/operator/limits/reached']
export type ReachedLimit = ReachedLimits['items'][number]
