import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import { notifyError } from '../api/notify.tsx'
import type { PartnerInfo } from '../api/partner.ts'
import { logoTypes, readLogoFile } from '../components/form/logo-file.ts'
import { Panel } from '../components/page/page.tsx'

/** Shown to customers on sign-in, consent and in their portal. */
export function Branding({ info }: { info: PartnerInfo }) {
  const api = useApi()
  const [color, setColor] = useState(info.accent_color ?? '')
  const save = useChange<object, PartnerInfo>({
    run: (change) => api.send('PATCH /core/v1/partner/info', { body: change }),
    invalidates: ['GET /core/v1/partner/info'],
    done: ({ requested_change }, change) =>
      'logo' in change && requested_change ? 'Sent to the operator for approval.' : 'Saved. Reload the page to see it.',
  })
  const upload = async (file: File | null) => {
    if (file) await readLogoFile(file).then((logo) => save.mutate({ logo }), notifyError)
  }
  return (
    <Panel title="Branding">
      <Stack gap="sm">
        <AccentColor value={color} onChange={setColor} />
        <Group gap="xs">
          <Button
            variant="default"
            onClick={() => save.mutate({ accent_color: color || null })}
            loading={save.isPending}
          >
            Save colour
          </Button>
          <FileButton onChange={(file) => void upload(file)} accept={logoTypes}>
            {(props) => (
              <Button {...props} variant="default">
                {info.logo ? 'Change logo' : 'Add a logo'}
              </Button>
            )}
          </FileButton>
          {info.logo && (
            <Button variant="subtle" color="gray" onClick={() => save.mutate({ logo: null })}>
              Remove logo
            </Button>
          )}
        </Group>
        {info.logo && <img className="brand-logo" src={info.logo} alt="Your logo" />}
        <Text size="xs" c="dimmed">
          Logo: PNG, JPEG or WebP, up to 128 KiB.
        </Text>
      </Stack>
    </Panel>
  )
}

const ownColor = '#0b6b57'

/** The browser's own colour picker, beside a field for a code that is pasted: the library's picker is as large as the page. */
function AccentColor({ value, onChange }: { value: string; onChange: (color: string) => void }) {
  return (
    <div>
      <Text component="label" htmlFor="accent-color" size="sm" fw={600}>
        Accent colour
      </Text>
      <Text id="accent-color-hint" size="xs" c="dimmed" mb={5}>
        Contrast is adjusted so that text stays readable
      </Text>
      <Group gap="xs" wrap="nowrap">
        <input
          className="plain-color"
          type="color"
          aria-label="Pick the accent colour"
          value={/^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : ownColor}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <input
          id="accent-color"
          className="plain-input"
          aria-describedby="accent-color-hint"
          placeholder={ownColor}
          value={value}
          maxLength={7}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </Group>
    </div>
  )
}
