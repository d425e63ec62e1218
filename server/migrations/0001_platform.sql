-- What every area uses: rate limits, turns of jobs, idempotency keys, the certificate that never changes.
-- Each migration file belongs to one area, and areas name only the tables of their own file (server/src/tables.test.ts).

create unlogged table limit_windows (
  key       text primary key,
  opened_at timestamptz not null,
  count     integer not null
) with (fillfactor = 50);
create index limit_windows_by_age on limit_windows (opened_at);

comment on table limit_windows is
  'Rate-limit windows shared by all processes. Unlogged: after a crash of Postgres, counting starts from zero.';
comment on column limit_windows.key is 'The limit and the caller it counts.';
comment on column limit_windows.opened_at is 'Start of the current window.';
comment on column limit_windows.count is 'Calls in the current window.';

create table limits_reached (
  tenant_id   uuid not null,
  tenant_kind text not null check (tenant_kind in ('customer', 'partner')),
  name        text not null,
  used        integer not null,
  max         integer not null,
  caller_id   uuid,
  reached_at  timestamptz not null,
  refused_at  timestamptz,
  refusals    integer not null,
  primary key (tenant_id, name)
);
create index limits_reached_by_age on limits_reached (reached_at);

comment on table limits_reached is
  'Rates and quotas that a customer or partner has nearly or fully used, one row for each, for the operator and for '
  'themselves. Deleted 30 days after it last happened.';
comment on column limits_reached.name is 'Of the rate or quota.';
comment on column limits_reached.used is 'When it last happened.';
comment on column limits_reached.max is 'When it last happened.';
comment on column limits_reached.caller_id is
  'The application, API key or person, where the rate is that of one caller.';
comment on column limits_reached.refused_at is 'Null while the limit was only near.';
comment on column limits_reached.refusals is
  'Refused calls for a quota; for a rate, minutes with refused calls, once for each process.';

create unlogged table job_turns (
  name     text primary key,
  taken_at timestamptz not null
) with (fillfactor = 50);

comment on table job_turns is
  'When a process last took its turn at a background job, so that it runs once per interval and not once per process. '
  'Unlogged: after a crash of Postgres, the next process that comes takes it.';
comment on column job_turns.name is 'The name of the job.';

create table primary_terms (
  id                uuid primary key,
  system_identifier text not null,
  timeline          bigint not null,
  begun_at          timestamptz not null,
  accepted_at       timestamptz,
  unique (system_identifier, timeline)
);

comment on table primary_terms is
  'The primaries that processes have written to, one row per timeline of Postgres: a primary without the row that a '
  'process knows lacks what was acknowledged, and is not used (decision 3.41).';
comment on column primary_terms.id is 'Another one whenever a loss is accepted: the branch that was given up does not have it.';
comment on column primary_terms.system_identifier is 'Of the cluster; empty where Postgres does not let us read it.';
comment on column primary_terms.accepted_at is 'When an operator last accepted that this primary lacks rows.';

-- Sent with the commit of whatever ends a credential, by triggers, so that no change can forget it: live streams are
-- checked then, and not again and again.
create function notify_credentials(subjects text[]) returns void language sql as $$
  select pg_notify('landbridge.credentials', string_agg(subject, ' '))
  from (select subject, row_number() over () / 150 as payload from unnest(subjects) as subject) as numbered
  group by payload
$$;

create table idempotency_keys (
  digest       bytea primary key,
  body_digest  bytea not null,
  attempt      integer not null,
  reserved_at  timestamptz not null,
  carried_out  boolean not null default false,
  status       smallint,
  content_type text,
  response     bytea
);
create index idempotency_keys_by_age on idempotency_keys (reserved_at);

comment on table idempotency_keys is
  'Responses to creating calls, kept for a day: a repeated call gets the same response and creates nothing twice.';
comment on column idempotency_keys.digest is 'Digest of the caller, the call and the Idempotency-Key.';
comment on column idempotency_keys.body_digest is 'Digest of the request body: the same key with another body is refused.';
comment on column idempotency_keys.attempt is
  'Number of the attempt that may commit: an earlier attempt that was presumed dead cannot.';
comment on column idempotency_keys.carried_out is 'Set in the transaction of the change itself.';
comment on column idempotency_keys.response is
  'The response body, sealed with the master key: it may contain a secret that is returned once.';

create table static_certificate (
  only_row    boolean primary key default true check (only_row),
  certificate text not null,
  private_key bytea not null,
  created_at  timestamptz not null
);

comment on table static_certificate is
  'The certificate of hub_url_static_cert: created once, by whichever process comes first, and never changed.';
comment on column static_certificate.only_row is 'Always true: the table has at most one row.';
comment on column static_certificate.certificate is 'PEM.';
comment on column static_certificate.private_key is 'PEM, sealed with the master key.';

create function create_partition(parent text, key text, partition text, lower text, upper text) returns void
language plpgsql as $$
begin
  execute format('create table %I (like %I including all)', partition, parent);
  execute format('lock table %I in access exclusive mode', parent || '_default');
  execute format(
    'with stray as (delete from %1$I where %2$I >= %3$L and %2$I < %4$L returning *) insert into %5$I select * from stray',
    parent || '_default', key, lower, upper, partition);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, partition, lower, upper);
end $$;

comment on function create_partition(text, text, text, text, text) is
  'Adds a partition and moves into it what came before it did. Its writers wait meanwhile, so partitions are created ahead.';
