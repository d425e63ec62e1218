-- Applications and API keys that may no longer command devices, or some of them (decision 7.92).

create table command_withdrawals (
  id             uuid primary key,
  client_id      uuid not null,
  customer_id    uuid,
  within         uuid[] not null,
  actor          jsonb not null,
  at             timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  after_customer uuid not null,
  after_device   uuid not null default '00000000-0000-0000-0000-000000000000'
);
create index command_withdrawals_by_client on command_withdrawals (client_id);

comment on table command_withdrawals is
  'Applications and API keys whose queued commands are being canceled: no device is handed one. A row is deleted when all are.';
comment on column command_withdrawals.customer_id is 'Null: of every customer, since the application was disabled.';
comment on column command_withdrawals.within is 'The spaces in which it still may command, with everything below; none: nowhere.';
comment on column command_withdrawals.actor is 'Who withdrew it.';
comment on column command_withdrawals.at is 'By the database''s clock: commands that were created later are not canceled.';
comment on column command_withdrawals.after_device is 'The last device, with its customer, whose commands were canceled.';
