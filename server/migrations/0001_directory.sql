-- Who exists: partners, applications, people, customers, groups, spaces, API keys.
-- Every id is a version 7 UUID made by the service: a list in order of id is a list in order of birth, and a page of it a range.

create table partners (
  id            uuid primary key,
  name          text not null,
  portal_domain text,                         -- host[:port]; several partners may share one
  accent_color  text,
  logo          bytea,
  logo_type     text,
  created_at    timestamptz not null
);
create index partners_by_portal_domain on partners (portal_domain) where portal_domain is not null;

create table applications (
  client_id     uuid primary key,
  partner_id    uuid not null references partners,
  name          text not null,
  redirect_uris text[] not null,
  id_token_alg  text not null check (id_token_alg in ('RS256', 'ES256')),
  enabled       boolean not null default true,
  created_at    timestamptz not null
);
create index applications_by_partner on applications (partner_id, client_id);

-- Two may be valid at once: a rotation sets the old one's end and adds the new one.
create table client_secrets (
  id         uuid primary key,
  client_id  uuid not null references applications,
  digest     bytea not null,
  hint       text not null,
  created_at timestamptz not null,
  expires_at timestamptz
);
create index client_secrets_by_application on client_secrets (client_id);

-- A person: known by email, whatever the number of customers and partners they belong to.
create table users (
  id             uuid primary key,
  email          text not null,
  name           text not null,
  password_hash  text,                        -- null until an invitation is accepted
  email_verified boolean not null default false,
  created_at     timestamptz not null
);
create unique index users_by_email on users (lower(email));

create table partner_members (
  partner_id uuid not null references partners,
  user_id    uuid not null references users,
  created_at timestamptz not null,
  primary key (partner_id, user_id)
);
create index partner_members_by_user on partner_members (user_id);

create table customers (
  id         uuid primary key,
  partner_id uuid not null references partners,
  name       text not null,
  lab        boolean not null default false,
  created_at timestamptz not null
);
create index customers_by_partner on customers (partner_id, id);

create table memberships (
  customer_id uuid not null references customers,
  user_id     uuid not null references users,
  role        text not null check (role in ('administrator', 'member')),
  active      boolean not null default true,
  created_at  timestamptz not null,
  primary key (customer_id, user_id)
);
create index memberships_by_user on memberships (user_id);
create index administrators_by_customer on memberships (customer_id) where role = 'administrator' and active;

create table groups (
  id          uuid primary key,
  customer_id uuid not null references customers,
  name        text not null,
  created_at  timestamptz not null,
  unique (customer_id, id)
);
create unique index groups_by_name on groups (customer_id, lower(name));

-- The composite keys make a foreign customer's group or person impossible, not merely unlikely.
create table group_members (
  customer_id uuid not null,
  group_id    uuid not null,
  user_id     uuid not null,
  primary key (group_id, user_id),
  foreign key (customer_id, group_id) references groups (customer_id, id) on delete cascade,
  foreign key (customer_id, user_id) references memberships (customer_id, user_id) on delete cascade
);
create index group_members_by_user on group_members (customer_id, user_id);

create table spaces (
  id          uuid primary key,
  customer_id uuid not null references customers,
  parent_id   uuid,
  name        text not null,
  synced_by   uuid references applications,   -- the application whose cloud keeps this space; null once it lets go
  created_at  timestamptz not null,
  unique (customer_id, id),
  foreign key (customer_id, parent_id) references spaces (customer_id, id),
  check (parent_id <> id)
);
create unique index spaces_by_name on spaces (customer_id, parent_id, name) nulls not distinct;

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
  check (num_nonnulls(customer_id, partner_id) = 1)
);
create index api_keys_by_customer on api_keys (customer_id, id) where customer_id is not null;
create index api_keys_by_partner on api_keys (partner_id, id) where partner_id is not null;
