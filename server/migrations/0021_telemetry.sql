-- What devices say. No foreign key into the directory, and the device in every key: these tables can move to a
-- distributed engine without a rewrite.

-- One row a device: its credential and its latest state, so that one look-up authenticates and merges.
-- Nothing but the primary key is indexed and half of each page is free, so that an update stays on its page.
-- Whoever changes a device in both tables changes this one first: ingest does, and two orders would deadlock.
create table device_states (
  device_id         uuid primary key,
  number            integer not null,
  customer_id       uuid,
  key_digest        bytea not null,
  authenticated_at  timestamptz,            -- the first use of the present key: until then it may be registered again
  replace_until     timestamptz,            -- an open replace window
  removed_at        timestamptz,
  sequence          integer not null default 0,  -- of its newest message; starts again at 0 after 2,147,483,646
  seen_at           timestamptz,            -- the last arrival: what offline goes by
  status            text not null default 'never_seen',  -- effective; devices.status follows in the same transaction
  status_before     text,                   -- what the last message found: a device turned when the two differ
  -- The newest message, whole: it has the newest value of each of its keys, so that a message with the same keys replaces it.
  latest_at         timestamptz not null default '-infinity',  -- the earlier of its timestamp and its arrival
  latest_arrived_at timestamptz not null default '-infinity',
  latest_status     text,
  latest_keys       bigint,                 -- a digest of its set of keys
  latest            json,
  -- Every other key: {key: [value, at, arrived_at]}, times in milliseconds.
  rest              jsonb not null default '{}'
) with (fillfactor = 50);

-- The sequence fills the four bytes that alignment leaves before the timestamp: it costs nothing.
create table history (
  device_number integer not null,
  sequence      integer not null,           -- numbers a device's messages in the order they were stored; may have gaps
  timestamp     timestamptz not null,       -- the message's own, or its arrival
  received_at   timestamptz not null,
  message_id    text,
  status        text not null,
  telemetries   json not null
) partition by range (timestamp);

-- Finds a device's messages in the order in which they are read: the sequence decides between equal timestamps.
create index history_by_device on history (device_number, timestamp, sequence);

-- Refuses a repeat of (device, timestamp, message_id). With 64 bits of the id instead of its text the two indexes
-- together are no larger than one with the text: a UUID takes 37 bytes.
create unique index history_by_message_id on history (device_number, timestamp, hashtextextended(message_id, 0))
  where message_id is not null;

-- Where a message goes when its day has no partition yet: ingest never fails for want of one.
create table history_of_no_day partition of history default;

-- Devices that turned status, for whoever must act on it. Written by the statement that turned them, emptied by the
-- job that tells webhooks and live streams.
create table status_changes (
  id         bigint generated always as identity primary key,
  device_id  uuid not null,
  status     text not null,
  previous   text not null,
  at         timestamptz not null
);

-- When to look again whether a device has fallen silent. Ingest only adds a row when a device turns (due at once: the
-- job reads the state's `seen_at` and the model's threshold, then re-arms it or turns the device offline).
create table offline_deadlines (
  device_id uuid primary key,
  due_at    timestamptz not null
) with (fillfactor = 70);
create index offline_deadlines_by_due on offline_deadlines (due_at);

-- What the retention of history has done so far, so that it can tell an ordinary day from a catastrophe.
create table history_retention (
  only_row       boolean primary key default true check (only_row),
  most_dropped   integer not null default 1,
  announced_days integer,
  announced_at   timestamptz
);
insert into history_retention default values;

-- Folds a message into `rest`, key by key: a key goes forward in the order of (at, arrival) or stays as it is.
-- Nothing is ever dropped; a message that would bring too many keys is refused before (`hasRoom` in store/ingest.ts).
create function fold_state(rest jsonb, telemetries json, at timestamptz, arrived_at timestamptz) returns jsonb
language sql immutable parallel safe
as $$
  with time as (
    select floor(extract(epoch from at) * 1000)::bigint as at, floor(extract(epoch from arrived_at) * 1000)::bigint as arrived_at
  ), entry as (
    select key, jsonb_build_array(value::jsonb, time.at, time.arrived_at) as entry, time.at, time.arrived_at, 1 as turn
    from json_each(telemetries), time
    union all
    select key, value, (value ->> 1)::bigint, (value ->> 2)::bigint, 0 from jsonb_each(rest)
  ), newest as (
    select distinct on (key) key, entry from entry order by key, at desc, arrived_at desc, turn desc
  )
  select coalesce(jsonb_object_agg(key, entry), '{}') from newest
$$;
