import { Type } from 'typebox'
import { mailKinds } from '../../../events/mail/mail-kinds.ts'
import { describeMailServer, getMail, listMails, retryMail, sendTestMail } from '../../../events/mail/mail-log.ts'
import type { App } from '../../../platform/http/app.ts'
import { Email, Id, IdPath, Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'

const route = tagged('Operator: mail')

const State = Type.Enum(['queued', 'sent', 'failed', 'dropped', 'kept'], {
  description:
    '`queued`: waits for its first or next attempt. `dropped`: never attempted, `failure` says why. `kept`: not sent, ' +
    'but readable here, in a lab without a mail server.',
})

const Mail = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'The part before the @ of its `Message-ID`.' }),
    kind: Type.String({ description: `What it is about, such as ${mailKinds.slice(0, 3).join(', ')}.` }),
    recipient: Type.String({ description: 'To whom, in lower case.', examples: ['ada@example.com'] }),
    subject: Type.String({ description: 'Its subject, on one line.' }),
    state: State,
    user_id: Nullable(Id),
    customer_id: Nullable(Id),
    created_at: Instant,
    useful_until: Type.Unsafe<Date>({
      type: 'string',
      format: 'date-time',
      description: 'It is given up then: its link or code has expired, or a day is over.',
    }),
    attempts: Type.Integer(),
    attempted_at: Nullable(Instant),
    under_way: Type.Boolean({ description: 'An attempt is being made now.' }),
    next_attempt_at: Nullable(Instant),
    failure: Nullable(Type.String({ description: 'Why the last attempt failed, or why there was none.' })),
    response: Nullable(
      Type.String({ description: 'The last words of the mail server. What it repeats of the mail is left out.' }),
    ),
  },
  { title: 'Mail', description: 'A mail to a person, without what it says.' },
)

const Content = Type.Object(
  {
    text: Type.String({ description: 'All of its text.' }),
    link: Nullable(Type.String({ description: 'Where its button leads.' })),
  },
  { title: 'MailContent', description: 'What a mail says.' },
)

const ReadableMail = Type.Object(
  {
    ...Mail.properties,
    content: Type.Union([Content, Type.Null()], {
      description: 'What it says. Null, except in a lab without a mail server.',
    }),
  },
  { title: 'ReadableMail', description: 'A mail to a person.' },
)

const Server = Type.Object(
  {
    state: Type.Enum(['sends', 'kept', 'none'], {
      description:
        '`kept`: a lab without a mail server, where mails are readable here. `none`: no mails, links are handed over by hand.',
    }),
    address: Nullable(Type.String({ description: 'Without user and password.' })),
    from: Nullable(Type.String()),
  },
  { title: 'MailServer', description: 'Where mails are handed in.' },
)

const TestMail = Type.Object(
  { to: Email },
  { title: 'TestMail', description: 'To whom to send a test.', additionalProperties: false },
)

export function mailRoutes(app: App, context: Context): void {
  app.get(
    '/mail-server',
    route({
      reads: 'bounded',
      summary: 'Get where mails are handed in',
      description: 'As `LANDBRIDGE_MAIL_URL` and `LANDBRIDGE_MAIL_FROM` say.',
      response: { 200: Server },
    }),
    async () => describeMailServer(context),
  )

  app.get(
    '/mails',
    route({
      reads: 'bounded',
      summary: 'List mails, newest first',
      description: 'Kept for 14 days, without what they say.',
      ...paged(Mail, {
        state: Type.Optional(State),
        recipient: Type.Optional(Type.String({ maxLength: 254, description: 'The whole address.' })),
      }),
    }),
    async (request) => listMails(context, request.query),
  )

  app.get(
    '/mails/:id',
    route({
      reads: 'bounded',
      summary: 'Get a mail',
      description: 'What it says is shown only in a lab without a mail server.',
      params: IdPath,
      response: { 200: ReadableMail },
    }),
    async (request) => getMail(context, request.params.id),
  )

  app.post(
    '/mails/:id/retry',
    route({
      creates: { unlimited: 'sends a mail that exists' },
      summary: 'Try a mail that waits now',
      description: 'One that was sent, failed or dropped has no content any more, and cannot be sent again (409).',
      params: IdPath,
      response: { 202: ReadableMail, ...refusals({ 409: ['mail_under_way', 'mail_not_queued'] }) },
    }),
    async (request, reply) => reply.code(202).send(await retryMail(context, request.params.id)),
  )

  app.post(
    '/mails/test',
    route({
      creates: { unlimited: 'at most 10 per minute, deleted after two weeks' },
      summary: 'Send a test mail',
      description: 'At once, and once: `state`, `failure` and `response` say what the mail server made of it.',
      body: TestMail,
      response: { 200: ReadableMail, ...refusals({ 409: ['mail_not_configured'] }) },
    }),
    async (request) => sendTestMail(context, request.body.to),
  )
}
