import { Button } from '@mantine/core'
import { type ComponentType, type ReactNode, useState } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { ListTable, type ListTableProps } from './list-table.tsx'
import { Empty, Page } from './page.tsx'

interface ListPageProps<Item> extends Omit<ListTableProps<Item>, 'label' | 'empty'> {
  title: string
  about: string
  /** What makes the next one, and the first one too. */
  create?: { verb: string; Dialog: ComponentType<{ onClose: () => void }> }
  empty: { icon: IconName; title: string; teaches: string }
  /** Dialogs, and what else belongs to the list. */
  children?: ReactNode
}

/** A page that is a list: it teaches its first step while it is empty. */
export function ListPage<Item>({ title, about, create, empty, children, ...table }: ListPageProps<Item>) {
  // Here and not beside the buttons: the empty state goes when the first one is made, the dialog may have a secret to show.
  const [creating, setCreating] = useState(false)
  const button = create && (
    <Button leftSection={<Icon name="add" />} onClick={() => setCreating(true)}>
      {create.verb}
    </Button>
  )
  return (
    <Page title={title} about={about} actions={button}>
      <ListTable
        {...table}
        label={title}
        empty={
          <Empty icon={empty.icon} title={empty.title} action={button}>
            {empty.teaches}
          </Empty>
        }
      />
      {children}
      {create && creating && <create.Dialog onClose={() => setCreating(false)} />}
    </Page>
  )
}
