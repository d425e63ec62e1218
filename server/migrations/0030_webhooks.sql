-- What partners' clouds are told, and whether they heard it.

create table webhook_endpoints (
  id                  uuid primary key,
  partner_id          uuid not null references partners,
  url                 text not null,
  description         text,
  events              text[] not null,        -- the types it is told
  secret              bytea not null,         -- sealed with the master key
  previous_secret     bytea,                  -- signs as well until its end, so that a receiver can change over at leisure
  previous_expires_at timestamptz,
  failing_since       timestamptz,            -- the first failed attempt since the last success
  disabled_at         timestamptz,
  disabled_because    text check (disabled_because in ('by_partner', 'gone', 'failing')),
  created_at          timestamptz not null,
  check ((previous_secret is null) = (previous_expires_at is null)),
  check ((disabled_at is null) = (disabled_because is null))
);
create index webhook_endpoints_by_partner on webhook_endpoints (partner_id, id);

-- One row an event and endpoint, written by the transaction that caused the event. While `attempting`, `next_attempt_at`
-- is the lease of the process at it: should that process die, the row falls due again.
create table webhook_deliveries (
  endpoint_id     uuid not null references webhook_endpoints on delete cascade,
  event_id        uuid not null,              -- the receiver's `webhook-id`: the same at every attempt
  type            text not null,
  payload         text not null,              -- the bytes that are signed
  state           text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  queued_at       timestamptz not null,
  attempts        integer not null default 0, -- since it was queued, or queued again
  attempting      boolean not null default false,
  by_person       boolean not null default false, -- asked for with a click: goes at once, whatever failed before
  next_attempt_at timestamptz,
  attempted_at    timestamptz,
  response_status integer,
  failure         text,                       -- why the last attempt failed, in words
  duration_ms     integer,
  primary key (endpoint_id, event_id),
  check ((state = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 70);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, type, next_attempt_at)
  where next_attempt_at is not null;
create index webhook_deliveries_by_person on webhook_deliveries (endpoint_id, next_attempt_at)
  where next_attempt_at is not null and by_person;
create index webhook_deliveries_by_age on webhook_deliveries (queued_at) where next_attempt_at is null;

-- Event types that an endpoint refused several times in a row. Their deliveries wait a little, so that a dead address is not
-- called once for each of them; the other types of the endpoint go on.
create table webhook_failing_types (
  endpoint_id  uuid not null references webhook_endpoints on delete cascade,
  type         text not null,
  failures     integer not null,              -- in a row
  paused_until timestamptz not null,
  primary key (endpoint_id, type)
);
