-- Desired settings: what customers want of their devices, and templates by model and space.

create table device_settings (
  bucket           smallint not null,
  device_id        uuid not null,
  customer_id      uuid not null,
  model_id         uuid not null,
  version          integer not null,
  desired          jsonb not null,
  source           text not null check (source in ('customer', 'device', 'template')),
  changed_at       timestamptz not null,
  changed_by       jsonb not null,
  reported_version integer,
  reported_at      timestamptz,
  state            text check (state in ('in_sync', 'pending', 'rejected', 'unsupported')),
  primary key (bucket, device_id)
) with (fillfactor = 70);

comment on table device_settings is
  'What a customer wants of its device: one document with a version, deleted when the device is removed. The state of the '
  'device is locked before it is changed.';
comment on column device_settings.version is 'Counts up with every change; the same as device_states.config_version.';
comment on column device_settings.desired is
  '{key: {value, version, said, message}}: since which version it is wanted, and what the device said about it.';
comment on column device_settings.source is 'Who changed it last: the customer, a template of the customer, or the device itself.';
comment on column device_settings.reported_version is 'The newest version that the device has reported about; null: none.';
comment on column device_settings.state is
  'The same as devices.settings, so that a message is compared with it without a look at the directory.';

alter table devices
  add column settings text,
  add column settings_differ boolean not null default false;

comment on column devices.settings is
  'The worst state of its desired settings (in_sync, pending, rejected, unsupported); null: none are wanted. Kept in the '
  'transaction that changes them, and carried over from telemetry and from changes of the model soon after (decision 7.95).';
comment on column devices.settings_differ is
  'Whether its desired settings differ from the templates for its model and space; kept as settings are.';

create table setting_templates (
  id          uuid primary key,
  customer_id uuid not null references customers,
  model_id    uuid not null references models,
  space_id    uuid,
  desired     jsonb not null,
  created_at  timestamptz not null,
  changed_at  timestamptz not null,
  foreign key (customer_id, space_id) references spaces (customer_id, id) on delete cascade
);
create unique index setting_templates_by_place
  on setting_templates (customer_id, model_id, coalesce(space_id, '00000000-0000-0000-0000-000000000000'));
create index setting_templates_by_customer on setting_templates (customer_id, id);
create index setting_templates_by_space on setting_templates (customer_id, space_id) where space_id is not null;

comment on table setting_templates is
  'What a customer wants of all devices of a model in a space and below it; a template of a deleted space is deleted with it.';
comment on column setting_templates.space_id is 'Null: everywhere, also where a device is in no space.';
comment on column setting_templates.desired is '{key: value}; of several templates the one of the nearest space counts, key by key.';

create table setting_reviews (
  model_id    uuid not null,
  customer_id uuid not null,
  after       uuid not null default '00000000-0000-0000-0000-000000000000',
  due_at      timestamptz not null default 'epoch',
  repeated    boolean not null default false,
  primary key (model_id, customer_id)
);
create index setting_reviews_by_due on setting_reviews (due_at);

comment on table setting_reviews is
  'Devices whose settings are to be judged again, because their model, a template or the tree of spaces has changed.';
comment on column setting_reviews.customer_id is 'Zeros: those of every customer.';
comment on column setting_reviews.after is 'The last device that was judged.';
comment on column setting_reviews.repeated is
  'Whether this is the second pass, which finds what a transaction that had read the former state committed meanwhile.';

create function review_settings(of_model uuid, of_customer uuid) returns void language sql as $$
  insert into setting_reviews (model_id, customer_id) values (of_model, of_customer)
  on conflict (model_id, customer_id) do update
    set after = excluded.after, due_at = excluded.due_at, repeated = excluded.repeated;
  select pg_notify('landbridge.settings.review', '1');
$$;

comment on function review_settings(uuid, uuid) is 'Has the settings of these devices judged again, from the first one on.';

create function review_settings_of_moved_space() returns trigger language plpgsql as $$
begin
  perform review_settings(model_id, new.customer_id)
  from (
    select distinct model_id from setting_templates
    where customer_id = new.customer_id and space_id is not null order by model_id
  ) of_customer;
  return null;
end $$;
create trigger spaces_moved_with_templates after update of parent_id on spaces
  for each row when (old.parent_id is distinct from new.parent_id) execute function review_settings_of_moved_space();
