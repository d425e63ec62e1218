import { useParams } from 'react-router'
import { useRead } from '../api/api.tsx'
import type { PartnerInfo } from '../api/partner.ts'
import { Onboarding } from '../components/page/onboarding.tsx'

/** The way to a working integration. */
export function PartnerOnboarding({ info }: { info: PartnerInfo | undefined }) {
  const { partnerId } = useParams()
  const at = (path: string) => `/partner/${partnerId}${path}`
  const lab = info?.lab_customer_id
  const { data } = useRead('GET /core/v1/partner/progress', {}, { every: 15_000 })
  if (!data) return null
  return (
    <Onboarding
      name={partnerId ?? ''}
      steps={[
        {
          title: 'Get an application',
          hint: 'The operator registers it and sends you the client ID and secret.',
          link: { label: 'Applications', to: at('/applications') },
          done: data.application_registered,
        },
        {
          title: 'Add a model',
          hint: 'Your devices register with its ID and hardware key.',
          link: { label: 'Add model', to: at('/models?new') },
          done: data.model_added,
        },
        {
          title: 'Connect an organization',
          hint: 'The playground walks through OAuth with your test tenant.',
          link: { label: 'OAuth playground', to: at('/playground') },
          done: data.application_approved,
        },
        {
          title: 'Register a device',
          hint: 'The simulator does it without hardware.',
          link: { label: 'Device simulator', to: at('/simulator') },
          done: data.device_registered,
        },
        {
          title: 'Receive events',
          hint: 'A webhook tells your cloud what changed.',
          link: { label: 'Add webhook', to: at('/webhooks?new') },
          done: data.webhook_added,
        },
        {
          title: 'Send telemetry',
          hint: 'The device sends its first values.',
          link: { label: 'Device simulator', to: at('/simulator') },
          done: data.telemetry_received,
        },
        {
          title: 'Invite a colleague',
          hint: 'A second person can step in when you are away.',
          link: { label: 'Invite person', to: at('/people?new') },
          done: data.colleague_joined,
        },
        {
          title: 'Claim it in your test tenant',
          hint: 'With MAC and serial number, as a customer would.',
          link: { label: 'Claim devices', to: lab ? `/customer/${lab}/claim` : at('/devices') },
          done: data.device_claimed,
        },
      ]}
    />
  )
}
