import { Alert, Badge, Button, Code, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange, usePages, useRead } from '../api/api.tsx'
import type { Mail, MailServer } from '../api/operator.ts'
import { FormDialog } from '../components/form/form.tsx'
import { Email } from '../components/page/email.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Page, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { NoMatch, SearchFilter, SelectFilter, useFilters } from '../components/table/filters.tsx'
import { DataTable } from '../components/table/table.tsx'
import { MailStateBadge, mailStates, NextMailAttempt } from './mail-state.tsx'

export const mailPath = ({ id }: { id: string }) => `/operator/mails/${id}`

export function Mails() {
  const server = useRead('GET /core/v1/operator/mail-server')
  const filters = useFilters('recipient', 'state')
  const { recipient, state } = filters.values
  const list = usePages('GET /core/v1/operator/mails', { recipient, state }, { every: 5_000 })
  const [testing, setTesting] = useState(false)
  const none = server.data?.state === 'none'
  return (
    <Page
      title="Mail"
      about={
        server.data?.state === 'sends' ? <SentBy server={server.data} /> : 'Invitations, links, codes and notices.'
      }
      actions={
        !none && (
          <Button leftSection={<Icon name="mail" />} onClick={() => setTesting(true)}>
            Send a test
          </Button>
        )
      }
      wide
    >
      {server.data?.state === 'kept' && <KeptNotice />}
      {none ? (
        <NotConfigured />
      ) : (
        <>
          <Group>
            <SearchFilter filters={filters} name="recipient" label="Recipient" placeholder="Address of the recipient" />
            <SelectFilter
              filters={filters}
              name="state"
              label="State"
              placeholder="Any state"
              w={160}
              data={Object.entries(mailStates).map(([value, { label }]) => ({ value, label }))}
            />
          </Group>
          <DataTable
            list={list}
            listKey={JSON.stringify(filters.values)}
            label="Mails"
            unit="mail"
            rowKey={({ id }) => id}
            to={mailPath}
            columns={[
              { label: 'Mail', cell: (mail) => <Summary mail={mail} /> },
              { label: 'State', cell: (mail) => <Outcome mail={mail} /> },
              { label: 'Queued', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
            ]}
            empty={
              filters.any ? (
                <NoMatch title="No mail found" onClear={filters.clear}>
                  Mails are kept for 14 days. Type the whole address of a recipient.
                </NoMatch>
              ) : (
                <Empty
                  icon="mail"
                  title="No mails yet"
                  action={
                    <Button variant="default" onClick={() => setTesting(true)}>
                      Send a test
                    </Button>
                  }
                >
                  Invite somebody, or send a test: each mail appears here with what became of it.
                </Empty>
              )
            }
          />
        </>
      )}
      {testing && <TestDialog onClose={() => setTesting(false)} />}
    </Page>
  )
}

function SentBy({ server: { address, from } }: { server: MailServer }) {
  return (
    <>
      Handed in at <Code className="breakable">{address}</Code> as <span className="breakable">{from}</span>. What a
      mail says is erased once it is sent or given up.
    </>
  )
}

function KeptNotice() {
  return (
    <Alert color="yellow" icon={<Icon name="flask" />} title="Mails of this lab are not sent">
      They are kept here, to be opened and read. Set LANDBRIDGE_MAIL_URL and LANDBRIDGE_MAIL_FROM to send them.
    </Alert>
  )
}

function NotConfigured() {
  return (
    <Panel>
      <Empty icon="mail" title="No mail server">
        Links are handed over by hand, and nobody is notified. To send mail, set these variables and start again:
        <Code block mt="sm" ta="left">
          {
            'LANDBRIDGE_MAIL_URL=smtps://user:password@mail.example.com\nLANDBRIDGE_MAIL_FROM=Landbridge <no-reply@example.com>'
          }
        </Code>
      </Empty>
    </Panel>
  )
}

function Summary({ mail: { subject, recipient } }: { mail: Mail }) {
  return (
    <>
      <Text size="sm" fw={500}>
        {subject}
      </Text>
      <Text size="xs" c="dimmed">
        <Email address={recipient} />
      </Text>
    </>
  )
}

function Outcome({ mail }: { mail: Mail }) {
  return (
    <>
      <Group gap="xs">
        <MailStateBadge state={mail.state} />
        {mail.under_way && <Badge color="blue">Sending</Badge>}
      </Group>
      {mail.failure && (
        <Text size="xs" c="dimmed" mt={4} className="breakable">
          {mail.failure}
        </Text>
      )}
      <NextMailAttempt mail={mail} />
    </>
  )
}

/** The mail server's own words, whatever they are: that is what a test is for. */
function TestDialog({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const form = useForm({ initialValues: { to: '' } })
  const test = useChange({
    run: () => api.send('POST /core/v1/operator/mails/test', { body: form.getValues() }),
    invalidates: ['GET /core/v1/operator/mails'],
    silent: true,
  })
  return (
    <FormDialog
      title="Send a test"
      verb={test.data ? 'Send again' : 'Send'}
      form={form}
      change={{ ...test, mutate: () => test.mutate() }}
      onClose={onClose}
    >
      <TextInput
        label="To"
        type="email"
        required
        data-autofocus
        autoComplete="email"
        placeholder="you@example.com"
        {...form.getInputProps('to')}
      />
      {test.data && <TestResult mail={test.data} />}
    </FormDialog>
  )
}

function TestResult({ mail: { state, failure, response } }: { mail: Pick<Mail, 'state' | 'failure' | 'response'> }) {
  const words = {
    sent: { color: 'green', title: 'The mail server took it', icon: 'check' as const },
    kept: { color: 'yellow', title: 'Kept in this lab, and not sent', icon: 'flask' as const },
  }
  const { color, title, icon } = words[state as 'sent'] ?? { color: 'red', title: 'It was not sent', icon: 'alert' }
  return (
    <Alert color={color} icon={<Icon name={icon} />} title={title} role="status">
      {failure && <Text size="sm">{failure}</Text>}
      {state === 'kept' && <Text size="sm">Open it in the list to read it.</Text>}
      {response && (
        <Code block mt={failure ? 6 : 0} className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
          {response}
        </Code>
      )}
    </Alert>
  )
}
