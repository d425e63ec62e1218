-- How people sign in: sessions, and one-time links for invitations and password resets.

create table sessions (
  digest       bytea primary key,
  user_id      uuid not null references users,
  signed_in_at timestamptz not null,          -- auth_time of the id_token
  last_seen_at timestamptz not null
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_age on sessions (last_seen_at);

create table one_time_links (
  digest     bytea primary key,
  user_id    uuid not null references users,
  purpose    text not null check (purpose in ('invitation', 'password_reset')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index one_time_links_by_user on one_time_links (user_id);
create index one_time_links_by_expiry on one_time_links (expires_at);

-- Failed sign-ins within a window, by digest of who and where from: no email and no address is kept.
create table sign_in_attempts (
  key       text primary key,
  opened_at timestamptz not null,
  failures  integer not null
) with (fillfactor = 70);
create index sign_in_attempts_by_age on sign_in_attempts (opened_at);
