-- The way in for devices: models, hardware keys, devices.

create table models (
  id                    uuid primary key,           -- the Model ID, sent as `device_model`
  partner_id            uuid not null references partners,
  name                  text not null,
  authentication_method text not null check (authentication_method = 'MAC & Serial Number'),
  offline_after_seconds integer not null default 120 check (offline_after_seconds between 10 and 604800),
  created_at            timestamptz not null
);
create index models_by_partner on models (partner_id, id);

-- Listed in order of birth: the first that is not revoked is the one a partner hands to its devices.
create table hardware_keys (
  id           uuid primary key,
  model_id     uuid not null references models,
  digest       bytea not null unique,
  sealed       bytea not null,                      -- with the master key: it can be shown again
  created_at   timestamptz not null,
  revoked_at   timestamptz,
  uses         bigint not null default 0,           -- registrations it let in
  last_used_at timestamptz
) with (fillfactor = 70);
create index hardware_keys_by_model on hardware_keys (model_id, id);

create table devices (
  id               uuid primary key,
  number           integer generated always as identity unique,  -- the short name history knows it by
  partner_id       uuid not null references partners,
  model_id         uuid not null references models,
  mac              text collate "C" not null,       -- lower case, with colons
  sn               text collate "C" not null,
  firmware_version text not null,
  firmware_at      timestamptz,                     -- of the message that reported it; null: known from registration
  registered_at    timestamptz not null,
  customer_id      uuid references customers,       -- null until claimed; stays after removal, for the record
  name             text collate "C",                -- the customer's word for it: never shown to the partner
  space_id         uuid,
  claimed_at       timestamptz,
  status           text not null default 'never_seen' check (status in ('never_seen', 'online', 'offline', 'error')),
  status_at        timestamptz not null,            -- when it turned
  removed_at       timestamptz,
  foreign key (customer_id, space_id) references spaces (customer_id, id),
  check ((customer_id is null) = (claimed_at is null)),
  check (removed_at is null or space_id is null)    -- a removed device holds no space back from deletion
) with (fillfactor = 80);

-- One live device a MAC, and one a serial number, within a model. These also find a device for registration and claim.
create unique index devices_by_mac on devices (model_id, mac) where removed_at is null;
create unique index devices_by_sn on devices (model_id, sn) where removed_at is null;

-- Lists are in order of id. Before the id stands what has few values (four statuses; claimed or not): a list of all of
-- them is a merge of as many ranges, so that every combination of filters is served by ranges of one index.
create index devices_of_customer on devices (customer_id, status, id) where removed_at is null;
create index devices_of_customer_and_model on devices (customer_id, model_id, status, id) where removed_at is null;
create index devices_of_space on devices (customer_id, space_id, status, id) where space_id is not null;
create index devices_of_space_and_model on devices (customer_id, space_id, model_id, status, id) where space_id is not null;
create index devices_of_partner on devices (partner_id, (claimed_at is null), status, id) where removed_at is null;
create index devices_of_model on devices (model_id, (claimed_at is null), status, id) where removed_at is null;

-- Search is by the beginning of the name, the MAC or the serial number, whatever the case.
create index devices_of_customer_by_name on devices (customer_id, lower(name) collate "C", id) where removed_at is null;
create index devices_of_customer_by_mac on devices (customer_id, mac, id) where removed_at is null;
create index devices_of_customer_by_sn on devices (customer_id, lower(sn) collate "C", id) where removed_at is null;
create index devices_of_partner_by_mac on devices (partner_id, mac, id) where removed_at is null;
create index devices_of_partner_by_sn on devices (partner_id, lower(sn) collate "C", id) where removed_at is null;
