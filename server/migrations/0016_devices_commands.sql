-- Commands to devices: what a model offers, and what was asked of each device.

alter table models add column commands jsonb not null default '[]';

comment on column models.commands is
  'The commands that its devices understand, in the order in which they are shown. Read and replaced as a whole.';

alter table device_states
  add column command_number integer not null default 0,
  add column has_command boolean not null default false,
  add column config_version integer;

comment on column device_states.command_number is 'Of its newest command: numbers them in order.';
comment on column device_states.has_command is
  'Whether a command waits (queued, sent or in_progress): ingest returns it with the row that it writes anyway.';
comment on column device_states.config_version is 'Of the desired settings; null: none were ever wanted.';

create table device_commands (
  bucket          smallint not null,
  device_id       uuid not null,
  number          integer not null,
  id              uuid not null,
  partner_id      uuid not null,
  customer_id     uuid not null,
  name            text not null,
  label           text,
  parameters      jsonb not null default '{}',
  secret          text[] not null default '{}',
  sealed          bytea,
  state           text not null check (state in
    ('queued', 'sent', 'in_progress', 'done', 'failed', 'rejected', 'expired', 'unknown', 'canceled')),
  head            boolean not null default false,
  source          text not null check (source in ('portal', 'application', 'api_key')),
  created_by      jsonb,
  client_id       uuid,
  batch_id        uuid,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  timeout_seconds integer not null,
  attempts        integer not null default 0,
  way             text,
  sent_at         timestamptz,
  delivered_at    timestamptz,
  started_at      timestamptz,
  due_at          timestamptz,
  finished_at     timestamptz,
  message         text,
  result          jsonb,
  primary key (bucket, device_id, number)
) with (fillfactor = 80);

-- An id ends with the bucket of its device, so that the id alone finds the row.
create unique index device_commands_by_id on device_commands (bucket, id);

-- The commands of a device that wait, in order: at most 20.
create index device_commands_waiting on device_commands (bucket, device_id, number)
  where state in ('queued', 'sent', 'in_progress');

create index device_commands_by_due on device_commands (due_at) where due_at is not null;

-- Lists are newest first, by id.
create index device_commands_by_device on device_commands (bucket, device_id, id);

-- Lists of an organization. The state comes before the id, as in devices_by_customer.
create index device_commands_by_customer on device_commands (customer_id, id);
create index device_commands_by_customer_and_state on device_commands (customer_id, state, id);
create index device_commands_by_batch on device_commands (customer_id, batch_id, state, id) where batch_id is not null;

-- What the poll over a partner's fleet may take: first commands only, however many wait behind them.
create index device_commands_for_fleet on device_commands (partner_id, id) where head and state = 'queued';
create index device_commands_for_fleet_again on device_commands (partner_id, sent_at)
  where head and state = 'sent' and way = 'fleet' and delivered_at is null;

-- What is canceled with an approval or an API key.
create index device_commands_by_client on device_commands (client_id, customer_id, device_id)
  where state = 'queued' and client_id is not null;

create index device_commands_by_age on device_commands (created_at);

comment on table device_commands is
  'Commands to devices, kept for 90 days. A device''s state is locked before its commands are changed, so that they change '
  'one after the other. All instants are of the database''s clock.';
comment on column device_commands.number is 'device_states.command_number: a device gets its commands in this order.';
comment on column device_commands.id is 'Ends with the same ten bits as the id of the device: its bucket.';
comment on column device_commands.label is 'How the model called it for people when it was created.';
comment on column device_commands.parameters is 'Without the secret ones.';
comment on column device_commands.secret is 'The names of the secret parameters.';
comment on column device_commands.sealed is 'The secret parameters, sealed with the master key; erased when it no longer waits.';
comment on column device_commands.head is 'Whether it is the first of its device that waits: only this one is handed out.';
comment on column device_commands.client_id is 'The application or API key that created it; null for a person in the portal.';
comment on column device_commands.batch_id is 'The same for all commands of one call for many devices.';
comment on column device_commands.attempts is 'How often it was handed out.';
comment on column device_commands.way is 'How it was last handed out: poll, subscribe, notice or fleet.';
comment on column device_commands.delivered_at is 'When the device was first known to have it; of what a cloud was handed, when it confirmed the last hand-out.';
comment on column device_commands.started_at is 'When the device first reported that it is in progress.';
comment on column device_commands.due_at is
  'When its state changes by itself: it expires, is queued again, or nobody knows what became of it. Null: never.';
comment on column device_commands.result is 'What the device returned.';
