import { useParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { Info } from '../api/organization.ts'
import { Onboarding } from '../components/page/onboarding.tsx'

export function CustomerOnboarding({ info: { counts } }: { info: Info }) {
  const { customerId } = useParams()
  const at = (path: string) => `/customer/${customerId}${path}`
  const isNew = counts.devices === 0 || counts.spaces === 0 || counts.users < 2
  const apps = usePages('GET /core/v1/organization/connected-apps', {}, { enabled: isNew })
  if (!isNew || !apps.data) return null
  return (
    <Onboarding
      name={customerId ?? ''}
      steps={[
        {
          title: 'Claim a device',
          hint: 'With the MAC and serial number on its label.',
          link: { label: 'Claim devices', to: at('/claim') },
          done: counts.devices > 0,
        },
        {
          title: 'Arrange your spaces',
          hint: 'Sites, floors and rooms, to find devices by place.',
          link: { label: 'Spaces', to: at('/spaces') },
          done: counts.spaces > 0,
        },
        {
          title: 'Invite a colleague',
          hint: 'A second administrator keeps you from being locked out.',
          link: { label: 'Invite user', to: at('/users?new') },
          done: counts.users > 1,
        },
        {
          title: 'Connect an application',
          hint: 'Start in the application; you approve it once.',
          link: { label: 'Connected apps', to: at('/settings/connected-apps') },
          done: apps.items.length > 0,
        },
      ]}
    />
  )
}
