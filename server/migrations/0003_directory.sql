-- Who exists: partners, applications, users, customers, groups, spaces, API keys, sessions and one-time links.
-- Every id is a version 7 UUID created by the service: ordered by id is ordered by creation, and a page is a range of ids.

-- For searches by any part of a name. A text begins with a space, so that every word of it does. Rows are added seldom, so
-- that their entries go into the index at once: those that wait are read one by one in every search.
create extension if not exists pg_trgm;

create table partners (
  id            uuid primary key,
  name          text not null,
  name_skeleton text,
  portal_domain text,
  accent_color  text,
  logo          bytea,
  logo_type     text,
  created_at    timestamptz not null
);
create index partners_by_portal_domain on partners (portal_domain) where portal_domain is not null;

create index partners_by_name_skeleton on partners (name_skeleton);

comment on table partners is 'Companies that build applications and devices.';
comment on column partners.name_skeleton is 'What the name looks like, to find others that can be mistaken for it.';
comment on column partners.portal_domain is 'host[:port] of the branded portal; several partners may share one.';
comment on column partners.logo_type is 'Media type of the logo.';

alter table webhook_endpoints add foreign key (partner_id) references partners;

create table partner_domains (
  partner_id    uuid primary key references partners,
  domain        text not null,
  token         text not null,
  verified_at   timestamptz,
  checked_at    timestamptz,
  result        text check (result in ('found', 'missing', 'unreachable')),
  found_at      timestamptz,
  missing_since timestamptz,
  check_at      timestamptz not null,
  created_at    timestamptz not null
);
create unique index partner_domains_verified on partner_domains (domain) where verified_at is not null;
create index partner_domains_by_check on partner_domains (check_at) where verified_at is not null;

comment on table partner_domains is
  'The domain of a partner that people see at consent, once a TXT record proves it; no two partners have the same one verified.';
comment on column partner_domains.domain is 'In ASCII, as DNS has it.';
comment on column partner_domains.token is 'What the TXT record has to contain; of this partner and domain only.';
comment on column partner_domains.verified_at is 'Null: not proven yet, or no longer.';
comment on column partner_domains.result is 'Of the last check; unreachable: DNS gave no answer.';
comment on column partner_domains.found_at is 'When the record was last seen.';
comment on column partner_domains.missing_since is 'The first of the checks in a row that did not find the record.';
comment on column partner_domains.check_at is 'When a verified domain is checked again.';

create table applications (
  client_id                    uuid primary key,
  partner_id                   uuid not null references partners,
  name                         text not null,
  home_page                    text,
  logo                         bytea,
  logo_type                    text,
  logo_version                 text,
  redirect_uris                text[] not null,
  id_token_alg                 text not null check (id_token_alg in ('RS256', 'ES256')),
  enabled                      boolean not null default true,
  created_at                   timestamptz not null,
  secret_rotation_requested_at timestamptz
);
create index applications_by_partner on applications (partner_id, client_id);

comment on table applications is 'OAuth clients of partners.';
comment on column applications.home_page is 'https address that people see beside its name.';
comment on column applications.logo_type is 'Media type of the logo.';
comment on column applications.logo_version is 'Part of the address of the logo, so that a new one is loaded at once.';
comment on column applications.id_token_alg is 'Signature algorithm of its id_tokens.';
comment on column applications.secret_rotation_requested_at is
  'When the partner requested a new secret; cleared when the operator rotates it.';

create table presentation_changes (
  id           uuid primary key,
  partner_id   uuid not null references partners,
  client_id    uuid references applications,
  revision     integer not null,
  change       jsonb not null,
  logo         bytea,
  requested_by jsonb not null,
  requested_at timestamptz not null,
  refused_at   timestamptz,
  reason       text,
  constraint presentation_changes_refused_with_reason check ((refused_at is null) = (reason is null))
);
create unique index presentation_changes_of on presentation_changes (partner_id, client_id) nulls not distinct;
create index presentation_changes_waiting on presentation_changes (id) where refused_at is null;
create index presentation_changes_by_application on presentation_changes (client_id) where client_id is not null;

comment on table presentation_changes is
  'What a partner asked to change of what people see of it or of an application: at most one each. It waits for the '
  'operator, or was refused; an approved one is deleted.';
comment on column presentation_changes.client_id is 'Null: of the partner itself.';
comment on column presentation_changes.revision is 'Grows with every change of the request: an approval names the one that was looked at.';
comment on column presentation_changes.change is 'The fields with their wanted values; of a logo its type and version.';
comment on column presentation_changes.logo is 'The wanted logo.';
comment on column presentation_changes.requested_by is 'The person or API key, as in the audit log.';

create table client_secrets (
  id         uuid primary key,
  client_id  uuid not null references applications,
  digest     bytea not null,
  hint       text not null,
  created_at timestamptz not null,
  expires_at timestamptz
);
create index client_secrets_by_application on client_secrets (client_id);

comment on table client_secrets is
  'Secrets of applications. Two may be valid at once: a rotation sets the end of the old one and adds the new one.';
comment on column client_secrets.hint is 'The first characters of the secret, to tell two secrets apart.';
comment on column client_secrets.expires_at is 'Null: valid until rotated.';

create table users (
  id             uuid primary key,
  email          text not null,
  name           text not null,
  password_hash  text,
  email_verified boolean not null default false,
  created_at     timestamptz not null
);
create unique index users_by_email on users (lower(email));
create index users_by_name on users (lower(name), id);
create index users_by_text on users using gin (lower(' ' || email || ' ' || name) gin_trgm_ops) with (fastupdate = off);

comment on table users is 'People, identified by email, whatever the number of customers and partners they belong to.';
comment on column users.password_hash is 'Null until an invitation is accepted.';

create table partner_members (
  partner_id uuid not null references partners,
  user_id    uuid not null references users,
  created_at timestamptz not null,
  primary key (partner_id, user_id)
);
create index partner_members_by_user on partner_members (user_id);

comment on table partner_members is 'Users who administer a partner.';

create table customers (
  id         uuid primary key,
  partner_id uuid not null references partners,
  name       text not null,
  lab        boolean not null default false,
  created_at timestamptz not null
);
create index customers_by_partner on customers (partner_id, id);
create index customers_by_text on customers using gin (lower(' ' || name) gin_trgm_ops) with (fastupdate = off);

comment on table customers is 'Organizations, whose data belongs to them.';
comment on column customers.partner_id is 'The partner whose brand the customer sees.';
comment on column customers.lab is 'The partner''s own test organization.';

create table memberships (
  customer_id uuid not null references customers,
  user_id     uuid not null references users,
  role        text not null check (role in ('administrator', 'member')),
  active      boolean not null default true,
  can_view_devices boolean not null default false,
  created_at  timestamptz not null,
  primary key (customer_id, user_id)
);
create index memberships_by_user on memberships (user_id);
create index memberships_active_administrators on memberships (customer_id) where role = 'administrator' and active;

comment on table memberships is 'Which users belong to which customers.';
comment on column memberships.can_view_devices is
  'A member who may open the portal to see devices and spaces, and change nothing. An administrator may anyway.';
comment on column memberships.active is 'False while deactivated: the user keeps the membership and loses its rights.';

create table groups (
  id          uuid primary key,
  customer_id uuid not null references customers,
  name        text not null,
  created_at  timestamptz not null,
  unique (customer_id, id)
);
create unique index groups_by_name on groups (customer_id, lower(name));

comment on table groups is 'Groups of a customer''s users; an approval may be limited to one.';

create table group_members (
  customer_id uuid not null,
  group_id    uuid not null,
  user_id     uuid not null,
  primary key (group_id, user_id),
  foreign key (customer_id, group_id) references groups (customer_id, id) on delete cascade,
  foreign key (customer_id, user_id) references memberships (customer_id, user_id) on delete cascade
);
create index group_members_by_user on group_members (customer_id, user_id);

comment on table group_members is
  'Users of a group. The composite foreign keys make a group or user of another customer impossible.';

create table spaces (
  id          uuid primary key,
  customer_id uuid not null references customers,
  parent_id   uuid,
  name        text not null,
  synced_by   uuid references applications,
  created_at  timestamptz not null,
  unique (customer_id, id),
  foreign key (customer_id, parent_id) references spaces (customer_id, id),
  constraint spaces_not_own_parent check (parent_id <> id)
);
create unique index spaces_by_name on spaces (customer_id, parent_id, name) nulls not distinct;
create index spaces_by_application on spaces (synced_by, customer_id) where synced_by is not null;
create index spaces_by_parent on spaces (customer_id, parent_id, id);

comment on table spaces is 'Sites, floors and rooms of a customer, as a tree.';
comment on column spaces.parent_id is 'Null: at the top.';
comment on column spaces.synced_by is
  'The application that keeps this space in sync; null when none does. Its approval is required: see 0004_authorization.sql.';

create table api_keys (
  id           uuid primary key,
  customer_id  uuid references customers,
  partner_id   uuid references partners,
  name         text not null,
  digest       bytea not null unique,
  hint         text not null,
  created_by   uuid references users,
  created_at   timestamptz not null,
  last_used_at timestamptz,
  revoked_at   timestamptz,
  constraint api_keys_one_owner check (num_nonnulls(customer_id, partner_id) = 1)
);
create index api_keys_by_customer on api_keys (customer_id, id) where customer_id is not null;
create index api_keys_by_partner on api_keys (partner_id, id) where partner_id is not null;

comment on table api_keys is 'API keys, each of one customer or of one partner.';
comment on column api_keys.hint is 'The first characters of the key, to tell two keys apart.';
comment on column api_keys.created_by is 'Null: not created by a user.';

create table sessions (
  digest       bytea primary key,
  user_id      uuid not null references users,
  host         text not null,
  signed_in_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_age on sessions (last_seen_at);

comment on table sessions is 'Browser sessions of signed-in users.';
comment on column sessions.digest is 'Digest of the session cookie.';
comment on column sessions.host is 'The host it was started on, without the port; its cookie is valid on no other.';
comment on column sessions.signed_in_at is 'auth_time of the id_token.';

create function notify_ended_sessions() returns trigger language plpgsql as $$
begin
  perform notify_credentials(array(select distinct 'user:' || user_id from ended));
  return null;
end $$;
create trigger sessions_ended after delete on sessions
  referencing old table as ended for each statement execute function notify_ended_sessions();

create function notify_changed_membership() returns trigger language plpgsql as $$
begin
  perform notify_credentials(array['user:' || old.user_id]);
  return null;
end $$;
create trigger memberships_changed after delete or update of role, active, can_view_devices on memberships
  for each row execute function notify_changed_membership();

create function notify_revoked_api_key() returns trigger language plpgsql as $$
begin
  perform notify_credentials(array['key:' || old.id]);
  return null;
end $$;
create trigger api_keys_revoked after delete or update of revoked_at on api_keys
  for each row execute function notify_revoked_api_key();

-- By application, also for a grant: of the many grants of an application that is disabled, Postgres sends one.
create function notify_ended_client() returns trigger language plpgsql as $$
begin
  perform notify_credentials(array['client:' || old.client_id]);
  return null;
end $$;
create trigger applications_disabled after update of enabled on applications
  for each row when (old.enabled and not new.enabled) execute function notify_ended_client();

create table sign_in_attempts (
  key       text primary key,
  opened_at timestamptz not null,
  failures  integer not null
) with (fillfactor = 70);
create index sign_in_attempts_by_age on sign_in_attempts (opened_at);

comment on table sign_in_attempts is
  'Failed sign-ins in the current window, which limit guessing. Neither the email nor the address is stored.';
comment on column sign_in_attempts.key is 'Digest of the email or of the address the attempts came from.';
comment on column sign_in_attempts.opened_at is 'Start of the current window.';

create table one_time_links (
  id          uuid primary key,
  digest      bytea unique,
  purpose     text not null check (purpose in ('invitation', 'password_reset')),
  user_id     uuid references users,
  customer_id uuid references customers,
  partner_id  uuid references partners,
  email       text,
  name        text,
  role        text check (role in ('administrator', 'member')),
  group_ids   uuid[] not null default '{}',
  can_view_devices boolean not null default false,
  maker_kind  text not null check (maker_kind in ('operator', 'user', 'application', 'api_key')),
  maker_id    uuid,
  issued_by   uuid references users,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz,
  constraint one_time_links_maker_has_id check ((maker_kind = 'operator') = (maker_id is null)),
  constraint one_time_links_fields_of_purpose check (case purpose
    when 'password_reset' then user_id is not null and email is null and digest is not null
    else user_id is null and email is not null and num_nonnulls(customer_id, partner_id) > 0
      and (customer_id is null) = (role is null) end)
);
create index one_time_links_by_user on one_time_links (user_id) where user_id is not null;
create index one_time_links_by_customer on one_time_links (customer_id, id) where customer_id is not null;
create index one_time_links_by_partner on one_time_links (partner_id, id) where partner_id is not null;
create index one_time_links_by_maker on one_time_links (maker_id) where maker_id is not null;
create index one_time_links_by_issuer on one_time_links (issued_by) where issued_by is not null;
create index one_time_links_by_expiry on one_time_links (expires_at);

comment on table one_time_links is
  'Invitations and password resets. An invitation is for one email, into a customer, a partner, or a partner and its lab; '
  'whether the email belongs to a user is looked up when it is accepted. A link is valid only while its creator may create it.';
comment on column one_time_links.digest is
  'Null: invited with a token or an API key, and no administrator has created the link yet.';
comment on column one_time_links.user_id is 'The user whose password is reset.';
comment on column one_time_links.role is 'The invited user''s role in the customer.';
comment on column one_time_links.group_ids is 'Groups of the customer that the invited user joins.';
comment on column one_time_links.maker_id is 'The user, application or API key that created it.';
comment on column one_time_links.issued_by is
  'The administrator who created the current link; null: the operator, or nobody yet.';

-- The directory's public face: what authorization and devices may read of it. Plain selections, which a statement's plan
-- sees through; a row lock taken through a view locks the row below.

create view directory_partners as
  select id, name, portal_domain, accent_color, logo is not null as has_logo,
    (select domain from partner_domains where partner_id = partners.id and verified_at is not null) as verified_domain
  from partners;
create view directory_applications as
  select client_id, partner_id, name, home_page, logo_version, redirect_uris, id_token_alg, enabled from applications;
create view directory_client_secrets as
  select client_id, digest, expires_at from client_secrets;
create view directory_users as
  select id, name, email, email_verified from users;
create view directory_customers as
  select id, name from customers;
create view directory_memberships as
  select customer_id, user_id, role, active from memberships;
create view directory_groups as
  select id, customer_id, name from groups;
create view directory_group_members as
  select group_id, user_id from group_members;

comment on view directory_partners is 'Partners with their brand and verified domain.';
comment on view directory_applications is 'Applications as OAuth clients, with what people see of them.';
comment on view directory_client_secrets is 'Digests of client secrets; one that has expired is no longer valid.';
comment on view directory_users is 'Users with the claims of an id_token.';
comment on view directory_customers is 'Customers by name.';
comment on view directory_memberships is 'Who belongs to which customer, and as what.';
comment on view directory_groups is 'Groups of customers, by name.';
comment on view directory_group_members is 'Who is in which group.';
