-- How people sign in: sessions, and what limits guessing.

create table sessions (
  digest       bytea primary key,
  user_id      uuid not null references users,
  host         text not null,                 -- it was started on, without the port; its cookie is no session anywhere else
  signed_in_at timestamptz not null,          -- auth_time of the id_token
  last_seen_at timestamptz not null
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_age on sessions (last_seen_at);

-- Failed sign-ins within a window, by digest of who and where from: no email and no address is kept.
create table sign_in_attempts (
  key       text primary key,
  opened_at timestamptz not null,
  failures  integer not null
) with (fillfactor = 70);
create index sign_in_attempts_by_age on sign_in_attempts (opened_at);
