-- How devices get in and what they send: models, hardware keys, devices, their state and history.

create function alarming_values(dictionary jsonb) returns jsonb
language sql immutable parallel safe
as $$
  select jsonb_object_agg(key, alarming) from (
    select entry ->> 'key' as key, jsonb_agg(meaning -> 'value') as alarming
    from jsonb_array_elements(dictionary) entry
    cross join lateral jsonb_array_elements(coalesce(entry -> 'values', '[]')) meaning
    where meaning -> 'alarm' = 'true'
    group by entry ->> 'key'
  ) of_key
$$;

comment on function alarming_values(jsonb) is 'By key, the values that a dictionary calls an alarm; null when there are none.';

create table models (
  id                    uuid primary key,
  partner_id            uuid not null references partners,
  name                  text not null,
  authentication_method text not null check (authentication_method = 'MAC & Serial Number'),
  offline_after_seconds integer not null default 120 check (offline_after_seconds between 10 and 604800),
  dictionary            jsonb not null default '[]',
  created_at            timestamptz not null,
  alarming              jsonb generated always as (alarming_values(dictionary)) stored,
  alarms_changed_at     timestamptz,
  alarms_due_at         timestamptz,
  alarms_after          uuid
);
create index models_by_partner on models (partner_id, id);
create index models_by_alarms_due on models (alarms_due_at) where alarms_due_at is not null;

comment on table models is 'Device models of partners.';
comment on column models.id is 'The Model ID, sent by devices as device_model.';
comment on column models.offline_after_seconds is 'Silence after which a device is offline.';
comment on column models.dictionary is
  'What its data points mean, in the order in which they are shown. Read and replaced as a whole (decision 7.36).';
comment on column models.alarming is 'Read with every page of devices and every registration, unlike the dictionary.';
comment on column models.alarms_changed_at is 'When the dictionary last changed which values are alarms.';
comment on column models.alarms_due_at is
  'When the states of its devices are next given these values (device_states.alarming); null when all have them.';
comment on column models.alarms_after is 'The last device that was given them.';

create table hardware_keys (
  id           uuid primary key,
  model_id     uuid not null references models,
  digest       bytea not null unique,
  sealed       bytea not null,
  created_at   timestamptz not null,
  revoked_at   timestamptz,
  uses         bigint not null default 0,
  last_used_at timestamptz
) with (fillfactor = 70);
create index hardware_keys_by_model on hardware_keys (model_id, id);

comment on table hardware_keys is
  'Keys with which devices of a model register. The oldest that is not revoked is the one that a partner gives its devices.';
comment on column hardware_keys.sealed is 'The key, sealed with the master key: it can be displayed again.';
comment on column hardware_keys.uses is 'Registrations with this key.';

create table devices (
  id               uuid primary key,
  number           integer generated always as identity unique,
  partner_id       uuid not null references partners,
  model_id         uuid not null references models,
  mac              text collate "C" not null,
  sn               text collate "C" not null,
  firmware_version text not null,
  firmware_at      timestamptz,
  registered_at    timestamptz not null,
  customer_id      uuid references customers,
  name             text collate "C",
  space_id         uuid,
  claimed_at       timestamptz,
  status           text not null default 'never_seen' check (status in ('never_seen', 'online', 'offline', 'error')),
  status_at        timestamptz not null,
  status_number    integer not null default 0,
  removed_at       timestamptz,
  foreign key (customer_id, space_id) references spaces (customer_id, id),
  constraint devices_claimed_by_customer check ((customer_id is null) = (claimed_at is null)),
  constraint devices_removed_from_space check (removed_at is null or space_id is null)
) with (fillfactor = 80);

-- One live device per MAC, and one per serial number, within a model. Registration and claim look up devices here.
create unique index devices_by_model_and_mac on devices (model_id, mac) where removed_at is null;
create unique index devices_by_model_and_sn on devices (model_id, sn) where removed_at is null;

-- Lists are ordered by id. Columns with few values come before the id (four statuses; claimed or not): a list of all of
-- them merges as many ranges, so that every combination of filters is served by ranges of one index.
create index devices_by_customer on devices (customer_id, status, id) where removed_at is null;
create index devices_by_customer_and_model on devices (customer_id, model_id, status, id) where removed_at is null;
create index devices_by_space on devices (customer_id, space_id, status, id) where space_id is not null;
create index devices_by_space_and_model on devices (customer_id, space_id, model_id, status, id)
  where space_id is not null;
create index devices_by_partner on devices (partner_id, (claimed_at is null), status, id) where removed_at is null;
create index devices_by_model on devices (model_id, (claimed_at is null), status, id) where removed_at is null;

create index devices_without_space on devices (customer_id, status, id)
  where space_id is null and customer_id is not null and removed_at is null;
create index devices_without_space_by_model on devices (customer_id, model_id, status, id)
  where space_id is null and customer_id is not null and removed_at is null;

-- Orders of a list. A device without a name is sorted as it is shown. In the collation "C" of these columns, lower() knows
-- only the letters a to z, so the database's own folds the case; the order stays that of "C".
create index devices_by_customer_and_name
  on devices (customer_id, lower(coalesce(name, 'Device ' || sn) collate "default") collate "C", id)
  where removed_at is null;
create index devices_by_customer_and_mac on devices (customer_id, mac, id) where removed_at is null;
create index devices_by_customer_and_sn
  on devices (customer_id, lower(sn collate "default") collate "C", id) where removed_at is null;
create index devices_by_partner_and_mac on devices (partner_id, mac, id) where removed_at is null;
create index devices_by_partner_and_sn
  on devices (partner_id, lower(sn collate "default") collate "C", id) where removed_at is null;

-- What needs attention: the latest change of each status first. Devices that are well are not in it.
create index devices_by_customer_and_change on devices (customer_id, status, status_at desc, id)
  where removed_at is null and status <> 'online';

-- A client that reconnects to a live stream is sent the devices that were removed in the meantime.
create index devices_removed_by_customer on devices (customer_id, removed_at) where removed_at is not null;

-- Devices removed long ago are deleted, the oldest first.
create index devices_by_removal on devices (removed_at) where removed_at is not null;

comment on table devices is 'Devices, from registration on; removed ones are deleted after a while (decision 7.74).';
comment on column devices.number is 'The short key of the device in history.';
comment on column devices.mac is 'Lower case, with colons.';
comment on column devices.sn is 'The serial number.';
comment on column devices.firmware_at is 'Of the message that reported it; null: known from registration.';
comment on column devices.customer_id is 'Null until claimed; kept after removal.';
comment on column devices.name is 'The customer''s name for it: never visible to the partner.';
comment on column devices.space_id is 'Null after removal: a removed device does not prevent deleting a space.';
comment on column devices.status is
  'Follows device_states.status within moments, so that lists can be filtered and sorted by it (decision 7.53).';
comment on column devices.status_at is 'When the status last changed.';
comment on column devices.status_number is 'device_states.status_number of this status: an older one never replaces it.';

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create function device_text(name text, mac text, sn text) returns text
language sql immutable parallel safe
as $$ select lower((coalesce(' ' || name, '') || ' ' || replace(mac, ':', '') || ' ' || sn) collate "default") $$;

comment on function device_text(text, text, text) is
  'What a search looks through: a space before the name, the MAC without colons and the serial number, in lower case.';

-- The owner is in the index too: a search reads only the entries of one customer or one partner.
create table device_texts (
  device_id     uuid primary key,
  partner_id    uuid not null,
  partner_text  text not null,
  customer_id   uuid,
  customer_text text
);
create index device_texts_by_customer on device_texts using gin (customer_id, customer_text gin_trgm_ops)
  with (gin_pending_list_limit = 256);
create index device_texts_by_partner on device_texts using gin (partner_id, partner_text gin_trgm_ops)
  with (gin_pending_list_limit = 256);

comment on table device_texts is
  'What a search looks through, indexed by trigrams. Apart from devices, so that a change of the status does not write '
  'dozens of index entries; a trigger keeps it up to date.';
comment on column device_texts.partner_text is 'Without the name: the partner must not find a device by it.';

create function keep_device_text() returns trigger language plpgsql as $$
begin
  if new.removed_at is not null then
    delete from device_texts where device_id = new.id;
    return null;
  end if;
  insert into device_texts (device_id, partner_id, partner_text, customer_id, customer_text)
  values (new.id, new.partner_id, device_text(null, new.mac, new.sn), new.customer_id,
    case when new.customer_id is not null then device_text(new.name, new.mac, new.sn) end)
  on conflict (device_id) do update
    set customer_id = excluded.customer_id, customer_text = excluded.customer_text;
  return null;
end $$;
create trigger devices_text_inserted after insert on devices for each row execute function keep_device_text();
create trigger devices_text_changed after update of name, customer_id, removed_at on devices
  for each row execute function keep_device_text();

create table device_tags (
  customer_id uuid not null,
  tag         text collate "C" not null,
  device_id   uuid not null references devices,
  primary key (customer_id, tag, device_id)
);
create index device_tags_by_device on device_tags (device_id);

comment on table device_tags is
  'A customer''s own tags on its devices: never visible to the partner, deleted when the device is removed.';

create table device_notes (
  device_id   uuid primary key references devices,
  customer_id uuid not null,
  note        text not null
);

comment on table device_notes is
  'A customer''s own note on a device: never visible to the partner, deleted when the device is removed.';

create table device_views (
  id          uuid primary key,
  customer_id uuid not null references customers,
  name        text not null,
  query       jsonb not null,
  created_at  timestamptz not null
);
create index device_views_by_customer on device_views (customer_id, id);
create unique index device_views_by_name on device_views (customer_id, lower(name));

comment on table device_views is 'Saved views of a customer''s device list, for all its people.';
comment on column device_views.query is 'Filters, order and columns, as in the address of the list.';

-- Telemetry: everything that a message touches. These tables have no foreign keys, and every key begins with the bucket
-- of the device, so that a distributed database can keep a bucket on one of its servers (decision 3.12).

create function device_bucket(device_id uuid) returns smallint
language sql immutable strict parallel safe
as $$ select ((get_byte(uuid_send(device_id), 14) & 3) << 8 | get_byte(uuid_send(device_id), 15))::smallint $$;

comment on function device_bucket(uuid) is
  'The bucket of a device, as in devices/bucket.ts: for statements written by hand. The service passes it as a parameter.';

create table device_states (
  bucket            smallint not null,
  device_id         uuid not null,
  number            integer not null,
  customer_id       uuid,
  key_digest        bytea not null,
  authenticated_at  timestamptz,
  replace_until     timestamptz,
  removed_at        timestamptz,
  status_at         timestamptz,
  status_number     integer not null default 0,
  lost_at           timestamptz,
  sequence          integer not null default 0,
  seen_at           timestamptz,
  status            text not null default 'never_seen',
  status_before     text,
  latest_at         timestamptz not null default '-infinity',
  latest_arrived_at timestamptz not null default '-infinity',
  latest_status     text,
  latest_keys       bigint,
  latest            json,
  rest              jsonb not null default '{}',
  alarming          jsonb[],
  alarms            jsonb,
  primary key (bucket, device_id)
) with (fillfactor = 50);

-- Only the primary key is indexed and half of each page is free, so that an update stays on its page.
comment on table device_states is
  'One row per device: its credential and its latest state, so that one look-up authenticates and merges. A change of both '
  'this table and devices updates this one first: two orders would deadlock.';
comment on column device_states.bucket is 'The last ten bits of the device id (devices/bucket.ts).';
comment on column device_states.number is 'devices.number.';
comment on column device_states.key_digest is 'Digest of the current access key.';
comment on column device_states.authenticated_at is
  'First use of the current key: until then the device may be registered again.';
comment on column device_states.replace_until is 'End of an open replace window.';
comment on column device_states.sequence is 'Of the newest message; starts again at 0 after 2,147,483,646.';
comment on column device_states.seen_at is 'The last arrival, from which offline is computed.';
comment on column device_states.status is 'The effective status.';
comment on column device_states.status_at is
  'When it last changed, never earlier than the change before; null while it never did.';
comment on column device_states.status_number is 'How often it has changed.';
comment on column device_states.lost_at is
  'When the loss of its MQTT connection last set it offline. The same as status_at: that is why it is offline now.';
comment on column device_states.status_before is
  'The status before the statement that stored the last message.';
comment on column device_states.latest_at is 'The earlier of the newest message''s timestamp and its arrival.';
comment on column device_states.latest_keys is 'Digest of the newest message''s set of keys.';
comment on column device_states.latest is
  'The newest message, whole: it has the newest value of each of its keys, so a message with the same keys replaces it.';
comment on column device_states.rest is 'Every other key: {key: [value, at, arrived_at]}, times in milliseconds.';
comment on column device_states.alarming is
  'Which values are alarms, each as {key: value}: a copy from the dictionary of its model, so that a message touches no '
  'other row. Null: none.';
comment on column device_states.alarms is
  'Since when a value of each key is an alarm, in milliseconds; null: none is.';

create function alarms_after(alarms jsonb, alarming jsonb[], telemetries json[], at timestamptz[]) returns jsonb
language sql immutable parallel safe
as $$
  with watched as (
    select pair.key, jsonb_agg(pair.value) as value
    from unnest(alarming) one cross join lateral jsonb_each(one) pair group by pair.key
  ), point as (
    select watched.key, turn, floor(extract(epoch from message.at) * 1000)::bigint as at,
      watched.value @> (message.telemetries -> watched.key)::jsonb as is_alarm
    from unnest(telemetries, at) with ordinality as message (telemetries, at, turn) cross join watched
    where message.telemetries -> watched.key is not null
  ), ended as (
    select key, max(turn) as turn from point where not is_alarm group by key
  ), begun as (
    select distinct on (point.key) point.key, point.at
    from point left join ended on ended.key = point.key
    where point.turn > coalesce(ended.turn, 0)
    order by point.key, point.turn
  )
  select jsonb_object_agg(watched.key, coalesce(
    case when ended.turn is null then alarms -> watched.key end, to_jsonb(begun.at)))
  from watched left join ended on ended.key = watched.key left join begun on begun.key = watched.key
  where begun.at is not null or (ended.turn is null and alarms -> watched.key is not null)
$$;

comment on function alarms_after(jsonb, jsonb[], json[], timestamptz[]) is
  'device_states.alarms after messages in their order: an alarm goes on until a message has another value of its key.';

create function fold_state(
  rest jsonb, keys bigint[], telemetries json[], at timestamptz[], arrived_at timestamptz[]
) returns jsonb
language sql immutable parallel safe
as $$
  with message as (
    select distinct on (keys) telemetries, turn, floor(extract(epoch from at) * 1000)::bigint as at,
      floor(extract(epoch from arrived_at) * 1000)::bigint as arrived_at
    from unnest(keys, telemetries, at, arrived_at) with ordinality as message (keys, telemetries, at, arrived_at, turn)
    order by keys, message.at desc, message.arrived_at desc, turn desc
  ), entry as (
    select key, jsonb_build_array(value::jsonb, at, arrived_at) as entry, at, arrived_at, turn
    from message cross join lateral json_each(message.telemetries)
    union all
    select key, value, (value ->> 1)::bigint, (value ->> 2)::bigint, 0 from jsonb_each(rest)
  ), newest as (
    select distinct on (key) key, entry from entry order by key, at desc, arrived_at desc, turn desc
  )
  select coalesce(jsonb_object_agg(key, entry), '{}') from newest
$$;

comment on function fold_state(jsonb, bigint[], json[], timestamptz[], timestamptz[]) is
  'Merges messages into device_states.rest, key by key: the newest in the order of (at, arrival, turn) wins; of messages with '
  'the same digest of keys, the newest. No key is dropped; a message with too many keys is refused before (hasRoom in '
  'store/ingest.ts).';

-- The sequence fills the four bytes that alignment leaves before the timestamp: it costs no space. Behind the instants, the
-- bucket takes two bytes, and none in the index of message ids, where it fills those that alignment leaves.
create table history (
  device_number integer not null,
  sequence      integer not null,
  timestamp     timestamptz not null,
  received_at   timestamptz not null,
  bucket        smallint not null,
  message_id    text,
  status        text not null,
  telemetries   json not null
) partition by range (timestamp);

-- A device's messages in the order in which they are read: the sequence decides between equal timestamps. It is no key, so
-- it needs no bucket: devices that were registered together, and send together, stay on neighbouring pages.
create index history_by_device on history (device_number, timestamp, sequence);

-- Refuses a repeated (device, timestamp, message_id), or (device, timestamp, body) where the id is empty. With 64 bits of
-- the id instead of its text, both indexes together are no larger than one with the text: a UUID takes 37 bytes.
create unique index history_by_message_id on history (bucket, device_number, timestamp,
  hashtextextended(case message_id when '' then status || telemetries::text else message_id end, 0))
  where message_id is not null;

create table history_default partition of history default;

comment on table history is 'Every message of every device, partitioned by day.';
comment on column history.sequence is 'Numbers a device''s messages in the order they were stored; may have gaps.';
comment on column history.timestamp is 'The message''s own, or its arrival.';
comment on column history.message_id is
  'Empty when the device gave a timestamp and no id; null when it gave neither, so that nothing tells a repeat.';
comment on table history_default is
  'Messages of days that have no partition yet: ingest never fails for lack of one.';

create table history_retention (
  only_row       boolean primary key default true check (only_row),
  most_dropped   integer not null default 1,
  announced_days integer,
  announced_at   timestamptz
);
insert into history_retention default values;

comment on table history_retention is
  'What the retention of history has dropped so far, so that it can tell an ordinary day from a mistake.';
comment on column history_retention.only_row is 'Always true: the table has exactly one row.';
comment on column history_retention.most_dropped is 'Most days ever dropped at once.';
comment on column history_retention.announced_days is 'More days than that are announced in the log an hour before.';

create table status_changes (
  bucket        smallint not null,
  device_id     uuid not null,
  number        integer not null,
  device_number integer not null,
  status        text not null,
  previous      text not null,
  at            timestamptz not null,
  traceparent   text,
  primary key (bucket, device_id, number)
);
-- By partition (changePartitions in telemetry-store/status-changes.ts), and in the order in which they are published.
create index status_changes_by_partition on status_changes ((bucket & 3), device_id, number);

comment on table status_changes is
  'Status changes to publish. Written by the statement that changed the status, moved to status_history by the job that '
  'notifies webhooks and live streams.';
comment on column status_changes.number is
  'device_states.status_number: the order of a device''s changes, without a sequence that all devices would share.';
comment on column status_changes.traceparent is
  'The span of the message that changed it (W3C Trace Context); null without tracing.';

create table status_history (
  bucket        smallint not null,
  device_number integer not null,
  at            timestamptz not null,
  number        integer not null,
  status        text not null,
  previous      text not null,
  primary key (bucket, device_number, at, number)
);
create index status_history_by_age on status_history (at);

comment on table status_history is
  'Past status changes, kept as long as history. Moved here by the job that publishes them: ingest does no more than before.';
comment on column status_history.device_number is 'devices.number.';
comment on column status_history.at is 'Never earlier than the change before it.';
comment on column status_history.number is 'Of the row in status_changes: decides between changes of one instant.';
comment on column status_history.previous is
  'What the status was until then, so that a range can be read without the change before it.';

create table offline_deadlines (
  bucket    smallint not null,
  device_id uuid not null,
  due_at    timestamptz not null,
  primary key (bucket, device_id)
) with (fillfactor = 70);
create index offline_deadlines_by_due on offline_deadlines (due_at);

comment on table offline_deadlines is
  'When to check whether a device has gone silent. Ingest only adds a row when a status changes (due at once: the job reads '
  'seen_at and the model''s threshold, then sets the next deadline or the status offline).';

create table device_connections (
  bucket       smallint not null,
  device_id    uuid not null,
  number       bigint not null,
  connected_at timestamptz not null,
  cell         text,
  cell_before  text,
  primary key (bucket, device_id)
) with (fillfactor = 70);

comment on table device_connections is
  'The current MQTT connection of each device, over all processes. The row stays when the connection ends, so that numbers '
  'never start again.';
comment on column device_connections.number is 'The connection with the highest number is the current one.';
comment on column device_connections.cell is 'The hub cell of its process; null for the one without a name.';
comment on column device_connections.cell_before is
  'The hub cell of the connection before, whose processes are notified of the new one.';

create unlogged table live_interests (
  customer_id uuid not null,
  process_id  uuid not null,
  until       timestamptz not null,
  primary key (customer_id, process_id)
);

comment on table live_interests is
  'Customers whose devices are watched live, and on which process: ingest notifies only for these. Unlogged: after a crash of '
  'Postgres every stream reconnects and is registered again.';

create table device_trends (
  customer_id uuid not null,
  at          timestamptz not null,
  never_seen  integer not null,
  online      integer not null,
  offline     integer not null,
  error       integer not null,
  primary key (customer_id, at)
);
create index device_trends_by_age on device_trends (at);

comment on table device_trends is
  'How many devices of each customer were in which status, every quarter of an hour of the last day.';

create table fleet_counts (
  partner_id       uuid not null,
  model_id         uuid not null,
  firmware_version text not null,
  never_seen       integer not null,
  online           integer not null,
  offline          integer not null,
  error            integer not null,
  counted_at       timestamptz not null,
  primary key (partner_id, model_id, firmware_version)
);

comment on table fleet_counts is
  'The devices of large fleets by model, firmware version and status, counted every ten minutes; a small fleet is counted '
  'when it is looked at.';

-- Hub cells: which processes serve which devices (decision 3.18). Small tables of the directory half, never distributed.

create table hub_cells (
  name                text primary key check (name ~ '^[a-z0-9][a-z0-9-]{0,31}$'),
  hub_url             text not null constraint hub_cells_by_hub_url unique,
  hub_url_static_cert text not null constraint hub_cells_by_static_cert_url unique,
  mqtt_hub_url        text not null constraint hub_cells_by_mqtt_url unique,
  state               text not null default 'open' check (state in ('open', 'draining')),
  created_at          timestamptz not null,
  seen_at             timestamptz not null
);

comment on table hub_cells is
  'Groups of processes with addresses of their own for telemetry. None where LANDBRIDGE_CELL is not set: one cell without a name then serves every device.';
comment on column hub_cells.state is 'A draining cell is given no buckets.';
comment on column hub_cells.seen_at is 'When a process of the cell last said that it runs; devices are sent only to a cell that does.';

create table cell_buckets (
  bucket      smallint primary key check (bucket between 0 and 1023),
  cell        text not null references hub_cells,
  redirect_at timestamptz
);

comment on table cell_buckets is
  'The cell of each bucket of devices: what registration hands out. Empty without cells, otherwise complete.';
comment on column cell_buckets.redirect_at is
  'From when other cells send its devices to this one; null if they serve them until they register again.';
