import { Button, Group } from '@mantine/core'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useMayChange } from '../../api/permitted.ts'
import { Icon, type IconName } from '../page/icon.tsx'
import { Empty, Page } from '../page/page.tsx'
import { DataTable, type TableProps } from './table.tsx'

interface ListPageProps<Item> extends Omit<TableProps<Item>, 'label' | 'empty'> {
  title: string
  about: string
  /** Its dialog also opens with `?new` in the address. */
  create?: { verb: string; Dialog: ComponentType<{ onClose: () => void }> }
  /** What the page says while the list is empty: the first step. */
  empty: { icon: IconName; title: string; hint: string }
  /** Search and filters above the list. */
  filters?: ReactNode
  /** Instead of the empty state, while filters are set. */
  noMatch?: ReactNode
  /** Dialogs, and what else belongs to the list. */
  children?: ReactNode
}

export function ListPage<Item>({
  title,
  about,
  create,
  empty,
  filters,
  noMatch,
  children,
  ...table
}: ListPageProps<Item>) {
  // Here and not beside the buttons: the empty state goes with the first item, while the dialog may still show a secret.
  const [creating, setCreating] = useState(false)
  const [search, setSearch] = useSearchParams()
  const wanted = search.has('new')
  // biome-ignore lint/correctness/useExhaustiveDependencies: `setSearch` is new with every address
  useEffect(() => {
    if (!wanted) return
    setCreating(true)
    const rest = new URLSearchParams(search)
    rest.delete('new')
    setSearch(rest, { replace: true })
  }, [wanted])
  const mayChange = useMayChange()
  const button = create && mayChange && (
    <Button leftSection={<Icon name="add" />} onClick={() => setCreating(true)}>
      {create.verb}
    </Button>
  )
  return (
    <Page title={title} about={about} actions={button} wide>
      {filters && <Group>{filters}</Group>}
      <DataTable
        {...table}
        label={title}
        empty={
          noMatch ?? (
            <Empty icon={empty.icon} title={empty.title} action={button}>
              {empty.hint}
            </Empty>
          )
        }
      />
      {children}
      {create && creating && mayChange && <create.Dialog onClose={() => setCreating(false)} />}
    </Page>
  )
}
