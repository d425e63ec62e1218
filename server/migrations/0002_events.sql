-- What happened: the audit log, the integration log, webhooks and their deliveries.

create table audit_events (
  id             uuid primary key,
  type           text not null,
  at             timestamptz not null,
  actor          jsonb not null,
  partner_id     uuid,
  application_id uuid,
  customer_id    uuid,
  device_id      uuid,
  details        jsonb not null default '{}'
) partition by range (id);
create index audit_events_by_type on audit_events (type, id);
create index audit_events_by_customer on audit_events (customer_id, id) where customer_id is not null;
create index audit_events_by_partner on audit_events (partner_id, id) where partner_id is not null;
create index audit_events_by_application on audit_events (application_id, id) where application_id is not null;
-- With the type in the key, a rare type of event of a busy customer is found without reading all others.
create index audit_events_by_customer_and_type on audit_events (customer_id, type, id) where customer_id is not null;
create index audit_events_by_partner_and_type on audit_events (partner_id, type, id) where partner_id is not null;
create index audit_events_by_application_and_type on audit_events (application_id, type, id)
  where application_id is not null;
create index audit_events_by_actor on audit_events ((actor ->> 'id'), id) where actor ->> 'id' is not null;
create index audit_events_by_device on audit_events (device_id, id) where device_id is not null;
create index audit_events_by_age on audit_events (at);

create table audit_events_default partition of audit_events default;

comment on table audit_events is
  'The audit log, partitioned by month: ids are ordered by time. Append-only in the database itself: only the retention job '
  'removes events, and none younger than 30 days.';
comment on table audit_events_default is 'Events of months that have no partition yet.';
comment on column audit_events.actor is 'Who did it: {kind, id?}.';
comment on column audit_events.partner_id is 'The subjects have no foreign keys: an event outlives what it is about.';

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create trigger audit_events_never_updated before update on audit_events
  for each row execute function refuse_change();

create trigger audit_events_never_truncated before truncate on audit_events
  for each statement execute function refuse_change();

create function audit_deletion() returns text language sql stable as $$
  select coalesce(current_setting('landbridge.audit_deletion', true), '')
$$;

comment on function audit_deletion() is
  'Why audit events may be deleted now: `retention` in a transaction of that job, `move` while their partition is created.';

-- For each row: a trigger for each statement would not be inherited by the partitions.
create trigger audit_events_deleted_by_retention_only before delete on audit_events
  for each row when (
    audit_deletion() <> 'move' and (audit_deletion() <> 'retention' or old.at >= now() - interval '30 days')
  ) execute function refuse_change();

create function create_audit_partition(partition text, lower uuid, upper uuid) returns void language plpgsql as $$
declare
  before text := audit_deletion();
begin
  -- Not as a setting of the function: only a superuser may create one with such a setting.
  perform set_config('landbridge.audit_deletion', 'move', true);
  perform create_partition('audit_events', 'id', partition, lower::text, upper::text);
  perform set_config('landbridge.audit_deletion', before, true);
end $$;

create function protect_audit_partitions() returns void language plpgsql as $$
declare
  partition regclass;
begin
  for partition in
    select inhrelid from pg_inherits
    where inhparent = 'audit_events'::regclass
      and not exists (select from pg_trigger where tgrelid = inhrelid and tgname = 'audit_events_never_truncated')
  loop
    execute format('create trigger audit_events_never_truncated before truncate on %s '
      'for each statement execute function refuse_change()', partition);
  end loop;
end $$;

comment on function protect_audit_partitions() is
  'Refuses to truncate a partition, new or restored from a backup: unlike triggers for each row, this one is not inherited.';

create function drop_audit_partition(partition text) returns void language plpgsql as $$
declare
  has_young boolean;
begin
  execute format('select exists (select from %I where at >= now() - interval ''30 days'')', partition) into has_young;
  if has_young then
    raise exception '% has events of the last 30 days', partition using errcode = 'insufficient_privilege';
  end if;
  execute format('drop table %I', partition);
end $$;

create table integration_failures (
  id             uuid primary key,
  partner_id     uuid not null,
  subject_id     uuid not null,
  application_id uuid,
  model_id       uuid,
  device_id      uuid,
  at             timestamptz not null,
  request_id     text not null,
  endpoint       text not null,
  status         integer not null,
  error          text not null,
  description    text,
  reason         text not null,
  detail         text
);
create index integration_failures_by_partner on integration_failures (partner_id, id);
create index integration_failures_by_subject on integration_failures (subject_id, id);
create index integration_failures_by_kind on integration_failures (subject_id, reason, id);
create index integration_failures_by_age on integration_failures (at);

comment on table integration_failures is
  'The integration log: why requests of a partner''s applications and devices were refused. Bounded: only the newest of '
  'each subject and reason are kept, for two weeks.';
comment on column integration_failures.subject_id is 'The application, the model, or the partner itself.';
comment on column integration_failures.error is 'The error code that the client received.';
comment on column integration_failures.description is 'The sentence that the client received.';
comment on column integration_failures.reason is
  'The private reason, one of events/failure-reasons.ts: more exact than what the client may know.';
comment on column integration_failures.detail is 'What was received, where it can be told; never a token, secret or code.';

create table webhook_endpoints (
  id                  uuid primary key,
  partner_id          uuid not null,
  url                 text not null,
  description         text,
  events              text[] not null,
  secret              bytea not null,
  previous_secret     bytea,
  previous_expires_at timestamptz,
  failing_since       timestamptz,
  disabled_at         timestamptz,
  disabled_because    text check (disabled_because in ('by_partner', 'gone', 'failing')),
  created_at          timestamptz not null,
  constraint webhook_endpoints_previous_secret_has_end
    check ((previous_secret is null) = (previous_expires_at is null)),
  constraint webhook_endpoints_disabled_has_reason check ((disabled_at is null) = (disabled_because is null))
);
create index webhook_endpoints_by_partner on webhook_endpoints (partner_id, id);
create index webhook_endpoints_unhealthy on webhook_endpoints (disabled_because)
  where failing_since is not null or disabled_because is not null;

comment on table webhook_endpoints is 'Webhooks: addresses in a partner''s cloud that are sent its events.';
comment on column webhook_endpoints.partner_id is 'The foreign key is in the directory''s file, which comes later.';
comment on column webhook_endpoints.events is 'The event types it subscribes to.';
comment on column webhook_endpoints.secret is 'Signs the deliveries; sealed with the master key.';
comment on column webhook_endpoints.previous_secret is
  'Signs as well until previous_expires_at, so that a receiver can change over without a gap.';
comment on column webhook_endpoints.failing_since is 'The first failed attempt since the last success.';

create table webhook_deliveries (
  endpoint_id        uuid not null references webhook_endpoints on delete cascade,
  partition          smallint not null generated always as (get_byte(uuid_send(endpoint_id), 15) & 15) stored,
  event_id           uuid not null,
  type               text not null,
  payload            text not null,
  state              text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  queued_at          timestamptz not null,
  attempts           integer not null default 0,
  attempting         boolean not null default false,
  by_person          boolean not null default false,
  next_attempt_at    timestamptz,
  attempted_at       timestamptz,
  response_status    integer,
  failure            text,
  duration_ms        integer,
  first_attempted_at timestamptz,
  traceparent        text,
  primary key (endpoint_id, event_id),
  constraint webhook_deliveries_pending_is_due check ((state = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 70);
create index webhook_deliveries_by_due on webhook_deliveries (partition, endpoint_id, type, next_attempt_at)
  where next_attempt_at is not null;
create index webhook_deliveries_by_person on webhook_deliveries (partition, endpoint_id, next_attempt_at)
  where next_attempt_at is not null and by_person;
create index webhook_deliveries_by_state on webhook_deliveries (endpoint_id, state, event_id);
create index webhook_deliveries_by_age on webhook_deliveries (queued_at) where next_attempt_at is null;

comment on table webhook_deliveries is
  'The outbox: one row per event and endpoint, written in the transaction that caused the event.';
comment on column webhook_deliveries.partition is
  'The last bits of the endpoint''s id (events/webhook-partition.ts): due deliveries are claimed by one process at a time '
  'per partition.';
comment on column webhook_deliveries.event_id is 'The receiver''s webhook-id: the same at every attempt.';
comment on column webhook_deliveries.payload is 'The exact bytes that are signed and sent.';
comment on column webhook_deliveries.attempts is 'Attempts since it was queued, or queued again.';
comment on column webhook_deliveries.attempting is
  'A process is sending it; next_attempt_at is then the end of that process''s lease, after which it is due again.';
comment on column webhook_deliveries.by_person is 'Requested by a person: sent at once, even while its type is paused.';
comment on column webhook_deliveries.failure is 'Why the last attempt failed, as a sentence.';
comment on column webhook_deliveries.first_attempted_at is
  'Start of the day during which it is retried: time spent waiting before the first attempt does not count.';
comment on column webhook_deliveries.traceparent is
  'The span that queued it (W3C Trace Context), which the attempts continue; null without tracing.';

create table webhook_failing_types (
  endpoint_id  uuid not null references webhook_endpoints on delete cascade,
  type         text not null,
  failures     integer not null,
  paused_until timestamptz not null,
  primary key (endpoint_id, type)
);

comment on table webhook_failing_types is
  'Event types that an endpoint refused several times in a row. Their deliveries wait, so that a dead address is not '
  'called once per event; other types of the endpoint go on.';
comment on column webhook_failing_types.failures is 'Failures in a row.';
