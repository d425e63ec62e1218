-- How people prove who they are: passkeys, codes by an app, recovery codes, and what a session was opened with.

alter table sessions
  add column id uuid not null default gen_random_uuid(),
  add column methods text[] not null default '{pwd}',
  add column proved_at timestamptz,
  add column user_agent text;
create unique index sessions_by_id on sessions (id);

comment on column sessions.id is 'By which its owner ends it; not a secret.';
comment on column sessions.methods is 'How the person signed in, as amr of the id_token (RFC 8176).';
comment on column sessions.proved_at is 'When the strongest factor that the account has on this host was last presented; null: not in this session.';
comment on column sessions.user_agent is 'Of the browser that signed in.';

create table passkeys (
  id            uuid primary key,
  user_id       uuid not null references users,
  credential_id bytea not null unique,
  rp_id         text not null,
  public_key    bytea not null,
  counter       bigint not null,
  transports    text[] not null default '{}',
  backed_up     boolean not null,
  name          text not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz
);
create index passkeys_by_user on passkeys (user_id, id);

comment on table passkeys is 'Public keys with which people sign in.';
comment on column passkeys.rp_id is 'The portal domain it was made on, without the port; browsers present it on no other.';
comment on column passkeys.counter is 'Of its last signature; one that goes back is refused. 0 where the authenticator does not count.';
comment on column passkeys.backed_up is 'Whether its owner has it on several machines.';

create table totp_factors (
  user_id    uuid primary key references users,
  secret     bytea not null,
  last_step  bigint not null,
  created_at timestamptz not null,
  enabled_at timestamptz
);

comment on table totp_factors is 'Apps that show codes of six digits (RFC 6238).';
comment on column totp_factors.secret is 'Sealed with the master key.';
comment on column totp_factors.last_step is 'Of the last code that was accepted: it and those before are refused.';
comment on column totp_factors.enabled_at is 'Null until the first code was right.';

create table recovery_codes (
  user_id    uuid not null references users,
  digest     bytea not null,
  created_at timestamptz not null,
  used_at    timestamptz,
  primary key (user_id, digest)
);

comment on table recovery_codes is 'Codes for a person who has lost the second factor, each valid once.';

create table spent_challenges (
  digest     bytea primary key,
  expires_at timestamptz not null
);
create index spent_challenges_by_age on spent_challenges (expires_at);

comment on table spent_challenges is 'Challenges that a passkey has signed: each counts once. Deleted when they would have expired.';
