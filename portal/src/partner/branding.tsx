import { Button, ColorInput, FileButton, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import { notifyError } from '../api/notify.tsx'
import type { PartnerInfo } from '../api/partner.ts'
import { logoTypes, readLogoFile } from '../components/logo-file.ts'
import { Panel } from '../components/page.tsx'

/** Shown to customers on sign-in, consent and in their portal. */
export function Branding({ info }: { info: PartnerInfo }) {
  const api = useApi()
  const [color, setColor] = useState(info.accent_color ?? '')
  const save = useChange<object>({
    run: (change) => api.patch('/info', change),
    invalidates: ['/info'],
    done: () => 'Saved. Reload the page to see it.',
  })
  const upload = async (file: File | null) => {
    if (file) await readLogoFile(file).then((logo) => save.mutate({ logo }), notifyError)
  }
  return (
    <Panel title="Branding">
      <Stack gap="sm">
        <ColorInput
          label="Accent colour"
          description="Contrast is adjusted so that text stays readable"
          placeholder="#0b6b57"
          value={color}
          onChange={setColor}
          format="hex"
          withEyeDropper={false}
          maw={340}
        />
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
