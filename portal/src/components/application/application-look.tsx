import { Button, FileButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useApi, useChange, useEtag } from '../../api/api.tsx'
import { notifyError } from '../../api/notify.tsx'
import type { Application, Logo } from '../../api/partner.ts'
import { Form } from '../form/form.tsx'
import { logoTypes, readLogoFile } from '../form/logo-file.ts'
import { Panel } from '../page/page.tsx'
import { AppLogo } from './app-logo.tsx'
import { isSaved, sentForApproval } from './requested-change.tsx'

interface Texts {
  name: string
  home_page: string
}

interface ApplicationLookProps {
  application: Application
  /** What its partner has asked for and still waits: its form goes on from there. */
  asked?: Partial<Texts>
}

/** Only these, so that saving one field decides nothing about the others. */
function changedFields(before: Texts, { name, home_page }: Texts) {
  const address = home_page.trim()
  return {
    ...(address === before.home_page ? { name } : { home_page: address || null }),
    ...(name === before.name ? {} : { name }),
  }
}

/** What people see of an application, at consent and among connected apps. For its partner and the operator. */
export function ApplicationLook({ application, asked = {} }: ApplicationLookProps) {
  const { kind, send } = useApi('partner', 'operator')
  const { client_id } = application
  const etag = useEtag(`GET /core/v1/${kind}/applications/{client_id}`, { client_id })
  const start = { name: application.name, home_page: application.home_page ?? '', ...asked }
  const form = useForm({ initialValues: start })
  const save = useChange<void, Application>({
    run: () =>
      send(`PATCH /core/v1/${kind}/applications/{client_id}`, {
        client_id,
        body: changedFields(start, form.values),
        etag,
      }),
    invalidates: [`GET /core/v1/${kind}/applications`],
    done: (changed) => (isSaved(changed) ? 'Saved.' : sentForApproval),
    silent: true,
  })
  const saveLogo = useChange<Logo | null, Application>({
    run: (logo) => send(`PATCH /core/v1/${kind}/applications/{client_id}`, { client_id, body: { logo } }),
    invalidates: [`GET /core/v1/${kind}/applications`],
    done: (changed, logo) => (!isSaved(changed) ? sentForApproval : logo ? 'Logo saved.' : 'Logo removed.'),
  })
  const upload = async (file: File | null) => {
    if (file) await readLogoFile(file).then(saveLogo.mutate, notifyError)
  }
  return (
    <Panel title="Shown to customers">
      <Stack gap="md" maw={480}>
        <Group gap="md">
          <AppLogo app={application} size="lg" />
          <div>
            <Group gap="xs">
              <FileButton onChange={(file) => void upload(file)} accept={logoTypes}>
                {(props) => (
                  <Button {...props} variant="default" loading={saveLogo.isPending}>
                    {application.logo ? 'Change logo' : 'Add a logo'}
                  </Button>
                )}
              </FileButton>
              {application.logo && (
                <Button variant="subtle" color="gray" onClick={() => saveLogo.mutate(null)}>
                  Remove logo
                </Button>
              )}
            </Group>
            <Text size="xs" c="dimmed" mt={4}>
              Square. PNG, JPEG or WebP, up to 128 KiB.
            </Text>
          </div>
        </Group>
        <Form form={form} verb="Save" change={save} ready={etag !== undefined}>
          <TextInput label="Name" {...form.getInputProps('name')} required />
          <TextInput
            label="Home page"
            description="https address, shown beside the name"
            placeholder="https://app.example.com"
            {...form.getInputProps('home_page')}
          />
        </Form>
      </Stack>
    </Panel>
  )
}
