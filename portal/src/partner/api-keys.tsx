import { ApiKeys } from '../components/api-keys.tsx'

export function PartnerApiKeys() {
  return <ApiKeys about="A key opens this partner’s API: applications, models, fleet, webhooks and log." />
}
