-- The way in for applications. A token is good while it has not expired and its grant is the application's active one:
-- revoking a grant touches one row, however many tokens it has.

create table approvals (
  client_id   uuid not null references applications,
  customer_id uuid not null references customers,
  policy      text not null default 'everyone' check (policy in ('everyone', 'administrators', 'group')),
  group_id    uuid,
  approved_by uuid references users,
  approved_at timestamptz not null,
  primary key (client_id, customer_id),
  foreign key (customer_id, group_id) references groups (customer_id, id),
  check ((policy = 'group') = (group_id is not null))
);
create index approvals_by_customer on approvals (customer_id, client_id);

create table grants (
  id            uuid primary key,
  client_id     uuid not null references applications,
  customer_id   uuid not null references customers,
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  revoked_at    timestamptz,
  revoked_because text
) with (fillfactor = 70);
create unique index one_active_grant on grants (client_id, customer_id) where revoked_at is null;
create index grants_by_customer on grants (customer_id, client_id);

-- Who has connected under a grant. Kept by itself, so that nobody vanishes when their tokens lapse.
create table grant_users (
  grant_id     uuid not null references grants,
  user_id      uuid not null references users,
  connected_at timestamptz not null,          -- the latest time
  primary key (grant_id, user_id)
);

-- A request between the authorization endpoint and the consent screen's answer.
create table authorization_requests (
  digest                bytea primary key,
  client_id             uuid not null,
  redirect_uri          text not null,
  scope                 text[] not null,
  state                 text not null,         -- percent-encoded, as it goes back: text keeps no NUL
  code_challenge        text not null,
  nonce                 text,
  prompt                text[] not null default '{}',
  max_age               integer,
  login_hint            text,
  hinted_user_id        uuid,                 -- whom the id_token_hint names: nobody else may answer
  session_digest        bytea,                -- set when the consent screen is shown: only that session may answer
  created_at            timestamptz not null,
  expires_at            timestamptz not null,
  answered_at           timestamptz,          -- the latest time; the same session may repeat the same answer
  answered_customer_id  uuid,                 -- approved for this customer, or
  answered_error        text,                 -- sent back with this error
  answers               smallint not null default 0,
  check ((answered_at is null) = (num_nonnulls(answered_customer_id, answered_error) = 0))
);
create index authorization_requests_by_expiry on authorization_requests (expires_at);

create table authorization_codes (
  digest         bytea primary key,
  grant_id       uuid not null,
  client_id      uuid not null,
  user_id        uuid not null,
  redirect_uri   text not null,
  code_challenge text not null,
  nonce          text,
  scope          text[] not null,
  auth_time      timestamptz not null,
  expires_at     timestamptz not null,
  used_at        timestamptz,
  wrong_verifiers smallint not null default 0
);
create index authorization_codes_by_expiry on authorization_codes (expires_at);

-- Token tables have no foreign keys: they are written on the hot path and go by expiry. Scope is kept as it is sent.
create table access_tokens (
  digest     bytea primary key,
  grant_id   uuid not null,
  user_id    uuid not null,
  scope      text not null,
  expires_at timestamptz not null
);
create index access_tokens_by_expiry on access_tokens (expires_at);

create table refresh_tokens (
  digest     bytea primary key,
  grant_id   uuid not null,
  user_id    uuid not null,
  scope      text not null,
  auth_time  timestamptz not null,
  expires_at timestamptz not null,
  rotated_at timestamptz
) with (fillfactor = 70);
create index refresh_tokens_by_expiry on refresh_tokens (expires_at);

-- Published from `created_at`, signs from `signs_from` until a later key of its kind takes over (`retired_at`, which may
-- lie ahead) or the operator removes it, and stays published until what it signed has expired.
create table signing_keys (
  kid          text primary key,              -- the RFC 7638 thumbprint
  alg          text not null check (alg in ('RS256', 'ES256')),
  public_jwk   jsonb not null,
  private_jwk  bytea not null,                -- sealed with the master key
  created_at   timestamptz not null,
  signs_from   timestamptz not null,
  retired_at   timestamptz,
  removed_at   timestamptz
);
-- One row once the first keys were made: a removed key is never made again by a restart.
create table signing_keys_made (
  once    boolean primary key default true check (once),
  made_at timestamptz not null
);
