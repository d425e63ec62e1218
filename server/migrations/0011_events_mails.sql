-- Mails to people: a queue, and for a while what became of each.

create table mails (
  id              uuid primary key,
  kind            text not null,
  recipient       text not null,
  subject         text not null,
  content         bytea,
  user_id         uuid,
  customer_id     uuid,
  created_at      timestamptz not null,
  useful_until    timestamptz not null,
  urgent          boolean not null,
  state           text not null check (state in ('queued', 'sent', 'failed', 'dropped', 'kept')),
  attempts        integer not null default 0,
  attempting      boolean not null default false,
  attempted_at    timestamptz,
  next_attempt_at timestamptz,
  response        text,
  failure         text,
  check ((state = 'queued') = (next_attempt_at is not null)),
  check (content is null or state in ('queued', 'kept'))
);
create index mails_by_due on mails (urgent, next_attempt_at) where next_attempt_at is not null;
create index mails_by_recipient_and_kind on mails (recipient, kind, created_at);
create index mails_by_recipient on mails (recipient, id);
create index mails_by_state on mails (state, id);
create index mails_by_recipient_and_state on mails (recipient, state, id);
create index mails_by_age on mails (created_at);

comment on table mails is 'Mails that are queued, and those of the last days with what became of them.';
comment on column mails.content is 'Sealed with the master key, since it may have a link; erased once it is sent, failed or dropped.';
comment on column mails.user_id is 'Whom it is about, if it is a person with an account. No foreign key: a mail outlives what it is about.';
comment on column mails.useful_until is 'Not attempted afterwards: its link or code has expired.';
comment on column mails.urgent is 'A person is waiting for it: sent before those that are not.';
comment on column mails.state is 'dropped: its recipient had too many of this kind, or the address is not one that mail is sent to. kept: readable in a lab without a mail server.';
comment on column mails.next_attempt_at is 'During an attempt, the end of the lease of the process that makes it.';
comment on column mails.response is 'The last words of the mail server.';
