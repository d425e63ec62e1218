import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { useChangeAddress } from './address.ts'

export interface Tab {
  value: string
  label: string
  content: ReactNode
}

/** The open tab is in the address, so that it can be linked to; the first one is the default. */
export function AddressTabs({ tabs }: { tabs: Tab[] }) {
  const [search] = useSearchParams()
  const changeAddress = useChangeAddress()
  const open = (value: string | null) =>
    changeAddress((now) => now.set('tab', value ?? tabs[0]!.value), { replace: true })
  return (
    <Tabs value={search.get('tab') ?? tabs[0]!.value} onChange={open} keepMounted={false}>
      <Tabs.List mb="md">
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value} px={{ base: 10, xs: 'md' }}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, content }) => (
        <Tabs.Panel key={value} value={value}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
