import { Alert, Anchor, Badge, Button, Code, Group, Text } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { ReadableMail } from '../api/operator.ts'
import { Copied } from '../components/page/copy.tsx'
import { Email } from '../components/page/email.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Fact, Loaded, Page, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { MailStateBadge, NextMailAttempt } from './mail-state.tsx'

export function Mail() {
  const api = useApi()
  const { mailId = '' } = useParams()
  const mail = useRead('GET /core/v1/operator/mails/{id}', { id: mailId }, { every: 3_000 })
  const retry = useChange({
    run: () => api.send('POST /core/v1/operator/mails/{id}/retry', { id: mailId }),
    invalidates: ['GET /core/v1/operator/mails', ['GET /core/v1/operator/mails/{id}', { id: mailId }]],
    done: () => 'It is tried now.',
  })
  return (
    <Loaded of={mail}>
      {(data) => (
        <Page
          title={data.subject}
          badges={
            <>
              <MailStateBadge state={data.state} />
              {data.under_way && <Badge color="blue">Sending</Badge>}
            </>
          }
          above={[{ label: 'Mail', to: '/operator/mails' }]}
          actions={
            data.state === 'queued' && (
              <Button onClick={() => retry.mutate()} loading={retry.isPending} disabled={data.under_way}>
                Try now
              </Button>
            )
          }
        >
          <Facts mail={data} />
          {data.failure && (
            <Alert
              color={data.state === 'queued' ? 'yellow' : 'red'}
              icon={<Icon name="alert" />}
              title="Why it was not sent"
            >
              <Text size="sm">{data.failure}</Text>
              <NextMailAttempt mail={data} />
            </Alert>
          )}
          {data.response && (
            <Panel title="What the mail server said">
              <Code block className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
                {data.response}
              </Code>
            </Panel>
          )}
          <Content mail={data} />
        </Page>
      )}
    </Loaded>
  )
}

function Facts({ mail }: { mail: ReadableMail }) {
  return (
    <Group gap="xl" className="facts">
      <Fact label="To">
        <Email address={mail.recipient} />
      </Fact>
      <Fact label="Queued">
        <When at={mail.created_at} />
      </Fact>
      <Fact label="Attempts">
        {mail.attempts}
        {mail.attempted_at && (
          <>
            , the last <When at={mail.attempted_at} />
          </>
        )}
      </Fact>
      {mail.user_id && (
        <Fact label="About">
          <Anchor component={Link} to={`/operator/people/${mail.user_id}`} size="sm">
            Account
          </Anchor>
        </Fact>
      )}
      {mail.customer_id && (
        <Fact label="Customer">
          <Anchor component={Link} to={`/operator/customers/${mail.customer_id}`} size="sm">
            Open
          </Anchor>
        </Fact>
      )}
      <Fact label="Message ID">
        <Copied value={mail.id} label="Copy message ID" />
      </Fact>
    </Group>
  )
}

function Content({ mail: { content, state } }: { mail: ReadableMail }) {
  if (content) {
    return (
      <Panel
        title="What it says"
        actions={
          content.link && (
            <Button component="a" href={content.link} target="_blank" rel="noreferrer" variant="default" size="xs">
              Open its link
            </Button>
          )
        }
      >
        <Text size="sm" component="div" className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
          {content.text}
        </Text>
      </Panel>
    )
  }
  return (
    <Text size="sm" c="dimmed">
      {state === 'queued'
        ? 'What it says is encrypted until it is sent, and shown to nobody else: its link may be as good as a password.'
        : 'What it said was erased.'}
    </Text>
  )
}
