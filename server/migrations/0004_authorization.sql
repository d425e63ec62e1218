-- How applications get access: approvals, grants, codes, tokens and signing keys.
-- A token is live while it has not expired and its grant is not revoked: revoking a grant updates one row, however many
-- tokens it has.

create table approvals (
  client_id   uuid not null references applications,
  customer_id uuid not null references customers,
  policy      text not null default 'everyone' check (policy in ('everyone', 'administrators', 'group')),
  group_id    uuid,
  approved_by uuid references users,
  approved_at timestamptz not null,
  primary key (client_id, customer_id),
  foreign key (customer_id, group_id) references groups (customer_id, id),
  constraint approvals_group_of_policy check ((policy = 'group') = (group_id is not null))
);
create index approvals_by_customer on approvals (customer_id, client_id);

comment on table approvals is 'Customers'' decisions that an application may be connected.';
comment on column approvals.policy is 'Which of the customer''s users may connect it.';
comment on column approvals.group_id is 'The group, when the policy is one.';

create table approval_requests (
  id           uuid primary key,
  client_id    uuid not null references applications,
  customer_id  uuid not null,
  user_id      uuid not null,
  note         text,
  requested_at timestamptz not null,
  outcome      text check (outcome in ('approved', 'declined', 'closed')),
  decided_at   timestamptz,
  unique (customer_id, user_id, client_id),
  foreign key (customer_id, user_id) references memberships (customer_id, user_id) on delete cascade,
  constraint approval_requests_decided check ((outcome is null) = (decided_at is null))
);
create index approval_requests_open on approval_requests (customer_id, id) where outcome is null;
create index approval_requests_by_application on approval_requests (client_id, customer_id);
create index approval_requests_by_user on approval_requests (user_id, requested_at);

comment on table approval_requests is
  'Members who asked an administrator to approve an application: one row per member and application, gone with the membership.';
comment on column approval_requests.id is 'A new one when the member asks again.';
comment on column approval_requests.note is 'Why the member needs it, in their own words.';
comment on column approval_requests.outcome is
  'Null: open. Closed: the application was disabled before anybody decided.';

-- A space is kept in sync by an application only while the customer's approval of it stands. Deferred: withdrawing the
-- approval deletes it and releases its spaces in one transaction, in any order; a space that becomes synced at the same
-- moment is refused at its commit, or released with the others.
alter table spaces add constraint spaces_synced_by_approved_application_fkey
  foreign key (synced_by, customer_id) references approvals (client_id, customer_id) deferrable initially deferred;

create table grants (
  id              uuid primary key,
  client_id       uuid not null references applications,
  customer_id     uuid not null references customers,
  created_at      timestamptz not null,
  last_used_at    timestamptz,
  revoked_at      timestamptz,
  revoked_because text
) with (fillfactor = 70);
create unique index grants_one_active on grants (client_id, customer_id) where revoked_at is null;
create index grants_by_customer on grants (customer_id, client_id);

create trigger grants_revoked after update of revoked_at on grants
  for each row when (old.revoked_at is null and new.revoked_at is not null) execute function notify_ended_client();

comment on table grants is 'An application''s access to a customer; at most one is active at a time.';
comment on column grants.last_used_at is 'Updated at most once per interval, so that a request rarely writes.';
comment on column grants.revoked_because is 'The cause, as in its audit event.';

create table grant_users (
  grant_id     uuid not null references grants,
  user_id      uuid not null references users,
  connected_at timestamptz not null,
  primary key (grant_id, user_id)
);

comment on table grant_users is
  'Users who connected under a grant. A table of its own, so that users stay listed when their tokens have expired.';
comment on column grant_users.connected_at is 'The latest time.';

create table authorization_requests (
  digest               bytea primary key,
  client_id            uuid not null,
  redirect_uri         text not null,
  scope                text[] not null,
  state                text not null,
  code_challenge       text not null,
  nonce                text,
  prompt               text[] not null default '{}',
  max_age              integer,
  login_hint           text,
  hinted_user_id       uuid,
  session_digest       bytea,
  created_at           timestamptz not null,
  expires_at           timestamptz not null,
  decided_at           timestamptz,
  approved_customer_id uuid,
  returned_error       text,
  decisions            smallint not null default 0,
  constraint authorization_requests_one_decision
    check ((decided_at is null) = (num_nonnulls(approved_customer_id, returned_error) = 0))
);
create index authorization_requests_by_expiry on authorization_requests (expires_at);

comment on table authorization_requests is
  'Authorization requests between the authorization endpoint and the decision on the consent screen.';
comment on column authorization_requests.state is 'Percent-encoded, as it is sent back: text cannot store NUL.';
comment on column authorization_requests.hinted_user_id is 'The user of the id_token_hint: nobody else may decide.';
comment on column authorization_requests.session_digest is
  'Set when the consent screen is displayed: only that session may decide.';
comment on column authorization_requests.decided_at is
  'The latest time; the same session may repeat the same decision.';
comment on column authorization_requests.approved_customer_id is 'The customer it was approved for; null: not approved.';
comment on column authorization_requests.returned_error is 'The error it was redirected back with; null: approved.';
comment on column authorization_requests.decisions is 'How often the decision was sent.';

create table authorization_codes (
  digest          bytea primary key,
  grant_id        uuid not null,
  client_id       uuid not null,
  user_id         uuid not null,
  redirect_uri    text not null,
  code_challenge  text not null,
  nonce           text,
  scope           text[] not null,
  auth_time       timestamptz not null,
  expires_at      timestamptz not null,
  used_at         timestamptz,
  wrong_verifiers smallint not null default 0
);
create index authorization_codes_by_expiry on authorization_codes (expires_at);

comment on table authorization_codes is 'Authorization codes (RFC 6749, 4.1.2) with their PKCE challenge.';
comment on column authorization_codes.used_at is 'Also set by the last wrong verifier allowed.';

-- Tables of tokens have no foreign keys: they are written on the hot path and deleted by expiry.
create table access_tokens (
  digest     bytea primary key,
  grant_id   uuid not null,
  user_id    uuid not null,
  scope      text not null,
  expires_at timestamptz not null
);
create index access_tokens_by_expiry on access_tokens (expires_at);

comment on table access_tokens is 'Access tokens, stored as digests.';
comment on column access_tokens.scope is 'Space-separated, as on the wire.';

create table refresh_tokens (
  digest     bytea primary key,
  grant_id   uuid not null,
  user_id    uuid not null,
  scope      text not null,
  auth_time  timestamptz not null,
  expires_at timestamptz not null
);
create index refresh_tokens_by_expiry on refresh_tokens (expires_at);

comment on table refresh_tokens is
  'Refresh tokens that were not rotated, stored as digests: one per chain, so that the table stays small.';
comment on column refresh_tokens.scope is 'Space-separated, as on the wire.';

-- Inserted by every refresh, and read only for a token that is not in refresh_tokens.
create table retired_refresh_tokens (
  rotated_at timestamptz not null,
  expires_at timestamptz not null,
  grant_id   uuid not null,
  user_id    uuid not null,
  digest     bytea not null
) partition by range (rotated_at);
create index retired_refresh_tokens_by_digest on retired_refresh_tokens (digest);

create table retired_refresh_tokens_default partition of retired_refresh_tokens default;

comment on table retired_refresh_tokens is
  'Refresh tokens that were rotated, to detect a replay until they would have expired. Partitioned by month of rotation, and '
  'dropped with their month.';
comment on column retired_refresh_tokens.digest is 'The first 16 bytes: enough to recognize a token.';
comment on table retired_refresh_tokens_default is 'Rotations of months that have no partition yet.';

create table signing_keys (
  kid         text primary key,
  alg         text not null check (alg in ('RS256', 'ES256')),
  public_jwk  jsonb not null,
  private_jwk bytea not null,
  created_at  timestamptz not null,
  signs_from  timestamptz not null,
  retired_at  timestamptz,
  removed_at  timestamptz
);

comment on table signing_keys is
  'Keys that sign id_tokens. Published from created_at until everything they signed has expired.';
comment on column signing_keys.kid is 'The RFC 7638 thumbprint.';
comment on column signing_keys.private_jwk is 'Sealed with the master key.';
comment on column signing_keys.signs_from is 'Signs from here until retired_at or removed_at.';
comment on column signing_keys.retired_at is 'When a later key of the same algorithm takes over; may be in the future.';
comment on column signing_keys.removed_at is 'When the operator removed it.';

create table first_signing_keys (
  only_row   boolean primary key default true check (only_row),
  created_at timestamptz not null
);

comment on table first_signing_keys is
  'One row once the first keys were created: a restart does not create a removed key again.';
comment on column first_signing_keys.only_row is 'Always true: the table has at most one row.';
