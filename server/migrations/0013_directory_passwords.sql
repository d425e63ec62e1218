-- Whether the password that a person has is easy to guess, as it was found when they last signed in with it.

alter table users
  add column judged_password bytea,
  add column password_weak boolean;

comment on column users.judged_password is 'Digest of the password_hash that was judged; another password is judged at the next sign-in.';
comment on column users.password_weak is 'Whether that password is easy to guess.';
