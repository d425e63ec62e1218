-- What people, API keys and applications may do in an organization, and in which of its spaces (decision 6.48).

alter table applications add column requested_permissions jsonb;

comment on column applications.requested_permissions is
  'What it asks for, by area: {level, reason}. Null: everything, as the contract says.';

create index applications_asking_for_secret on applications (client_id) where secret_rotation_requested_at is not null;

create table application_requests (
  id                    uuid primary key,
  partner_id            uuid not null references partners,
  revision              integer not null,
  name                  text not null,
  home_page             text,
  redirect_uris         text[] not null,
  id_token_alg          text not null check (id_token_alg in ('RS256', 'ES256')),
  requested_permissions jsonb,
  logo                  bytea,
  logo_type             text,
  requested_by          jsonb not null,
  requested_at          timestamptz not null,
  refused_at            timestamptz,
  reason                text,
  constraint application_requests_refused_with_reason check ((refused_at is null) = (reason is null))
);
create index application_requests_by_partner on application_requests (partner_id, id);
create index application_requests_waiting on application_requests (id) where refused_at is null;

comment on table application_requests is
  'New applications that partners ask for. One waits for the operator, or was refused; an approved one is deleted, and '
  'the application has its id.';
comment on column application_requests.revision is 'Grows with every change of the request: an approval names the one that was looked at.';
comment on column application_requests.requested_permissions is 'As in applications.';
comment on column application_requests.logo_type is 'Media type of the logo.';
comment on column application_requests.requested_by is 'The person or API key, as in the audit log.';

alter table api_keys
  add column permissions jsonb,
  add column within uuid[],
  add column used_by text,
  add column expires_at timestamptz,
  add column lifetime_seconds integer,
  add column replaced_by uuid,
  add column expiry_announced_at timestamptz;
create index api_keys_by_expiry on api_keys (expires_at) where expires_at is not null and expiry_announced_at is null and revoked_at is null;

comment on column api_keys.permissions is 'Its level in each area. Null: everything that a key may do.';
comment on column api_keys.within is
  'The spaces, with all below them, to which devices, spaces and audit are limited; null: everywhere. One that was deleted covers nothing.';
comment on column api_keys.used_by is 'Who or what uses it, in the words of the administrator.';
comment on column api_keys.expires_at is 'Null: valid until revoked.';
comment on column api_keys.lifetime_seconds is
  'How far ahead the expiry was set: the key of a rotation lives as long. Null: it does not expire.';
comment on column api_keys.replaced_by is 'The key of its rotation; null: it was not rotated.';
comment on column api_keys.expiry_announced_at is 'When the event that it will expire was recorded.';

create table space_roles (
  id          uuid primary key,
  customer_id uuid not null,
  user_id     uuid,
  group_id    uuid,
  space_id    uuid,
  role        text not null check (role in ('viewer', 'operator', 'manager')),
  created_at  timestamptz not null,
  foreign key (customer_id, user_id) references memberships (customer_id, user_id) on delete cascade,
  foreign key (customer_id, group_id) references groups (customer_id, id) on delete cascade,
  foreign key (customer_id, space_id) references spaces (customer_id, id) on delete cascade,
  constraint space_roles_of_one check (num_nonnulls(user_id, group_id) = 1)
);
create unique index space_roles_of_user on space_roles (customer_id, user_id, space_id) nulls not distinct where user_id is not null;
create unique index space_roles_of_group on space_roles (group_id, space_id) nulls not distinct where group_id is not null;
create index space_roles_by_space on space_roles (customer_id, space_id);

comment on table space_roles is
  'What members may do in a space and all below it, themselves or as members of a group. That a member may look at '
  'everything is in memberships.can_view_devices.';
comment on column space_roles.space_id is 'Null: everywhere, also where a device is in no space.';

create function spaces_above(space uuid) returns uuid[]
language sql stable parallel safe
as $$
  with recursive above as (
    select id, parent_id from spaces where id = space
    union all
    select next.id, next.parent_id from above join spaces next on next.id = above.parent_id
  )
  select array(select id from above)
$$;

comment on function spaces_above(uuid) is
  'A space and those above it; empty for none. The directory''s, for statements of others that ask where a device is.';

create function reach_of_member(of_customer uuid, of_user uuid) returns jsonb
language sql stable parallel safe
as $$
  select coalesce(jsonb_agg(distinct jsonb_build_object('role', role, 'space_id', space_id)), '[]')
  from (
    select role, space_id from space_roles where customer_id = of_customer and user_id = of_user
    union all
    select role, space_id from group_members member join space_roles held on held.group_id = member.group_id
    where member.customer_id = of_customer and member.user_id = of_user
    union all
    select 'viewer', null from memberships where customer_id = of_customer and user_id = of_user and can_view_devices
  ) held
$$;

comment on function reach_of_member(uuid, uuid) is
  'The roles of a member, their own and those of their groups: [{role, space_id}], the space null for everywhere.';

-- Whoever watches with a reach that has changed is checked again, and starts anew with what is left of it.

create function notify_changed_roles() returns trigger language plpgsql as $$
declare
  changed space_roles := case when tg_op = 'DELETE' then old else new end;
begin
  perform notify_credentials(case
    when changed.user_id is not null then array['user:' || changed.user_id]
    else array(select 'user:' || user_id from group_members where group_id = changed.group_id) end);
  return null;
end $$;
create trigger space_roles_changed after insert or update or delete on space_roles
  for each row execute function notify_changed_roles();

create function notify_joined_groups() returns trigger language plpgsql as $$
begin
  perform notify_credentials(array(select distinct 'user:' || user_id from changed));
  return null;
end $$;
create trigger group_members_joined after insert on group_members
  referencing new table as changed for each statement execute function notify_joined_groups();
create trigger group_members_left after delete on group_members
  referencing old table as changed for each statement execute function notify_joined_groups();

create trigger api_keys_narrowed after update of permissions, within, expires_at on api_keys
  for each row execute function notify_revoked_api_key();

create function notify_moved_space() returns trigger language plpgsql as $$
begin
  perform notify_credentials(array['tree:' || new.customer_id]);
  return null;
end $$;
create trigger spaces_moved after update of parent_id on spaces
  for each row when (old.parent_id is distinct from new.parent_id) execute function notify_moved_space();

create or replace view directory_applications as
  select client_id, partner_id, name, home_page, logo_version, redirect_uris, id_token_alg, enabled, requested_permissions
  from applications;
