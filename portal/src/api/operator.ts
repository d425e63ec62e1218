import type { ItemOf, ResponseOf } from './operations.ts'

export type Partner = ItemOf<'GET /core/v1/operator/partners'>
export type Customer = ItemOf<'GET /core/v1/operator/customers'>
export type CustomerUser = ItemOf<'GET /core/v1/operator/customers/{id}/users'>
export type PersonDetails = ResponseOf<'GET /core/v1/operator/users/{id}'>
export type Application = ItemOf<'GET /core/v1/operator/applications'>
export type ApplicationDetails = ResponseOf<'GET /core/v1/operator/applications/{client_id}'>
export type ChangedApplication = ResponseOf<'PATCH /core/v1/operator/applications/{client_id}'>
export type PresentationChange = ItemOf<'GET /core/v1/operator/presentation-changes'>
export type PresentationChangeWithLogo = ResponseOf<'GET /core/v1/operator/presentation-changes/{id}'>
export type ApplicationRequest = ItemOf<'GET /core/v1/operator/application-requests'>
export type SigningKey = ItemOf<'GET /core/v1/operator/signing-keys'>
export type Mail = ItemOf<'GET /core/v1/operator/mails'>
export type ReadableMail = ResponseOf<'GET /core/v1/operator/mails/{id}'>
export type MailServer = ResponseOf<'GET /core/v1/operator/mail-server'>
export type Limits = ResponseOf<'GET /core/v1/operator/limits'>
type ReachedLimits = ResponseOf<'GET /core/v1/operator/limits/reached'>
export type ReachedLimit = ReachedLimits['items'][number]
