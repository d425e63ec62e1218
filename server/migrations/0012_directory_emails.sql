-- Emails that their owners have proven, links that people ask for themselves, and which mails they want.

alter table users
  add column mails_off text[] not null default '{}',
  -- For the accounts of before, none of which is new; those that follow have no default.
  add column first_signed_in_at timestamptz default 'epoch';
alter table users alter column first_signed_in_at drop default;

comment on column users.email_verified is 'Whether the owner of the account has shown to receive what is sent to its email.';
comment on column users.mails_off is 'Kinds of mail that the person does not want; those about the security of the account cannot be switched off.';
comment on column users.first_signed_in_at is 'Null: never, and a first browser is no new one to mail about. 1970: before this was recorded.';

alter table one_time_links drop constraint one_time_links_maker_kind_check;
alter table one_time_links add constraint one_time_links_maker_kind_check
  check (maker_kind in ('operator', 'user', 'application', 'api_key', 'self'));

comment on column one_time_links.maker_kind is 'self: asked for by whoever knows the email, sent to that email and shown to nobody.';

create table email_codes (
  owner_id   uuid primary key,
  browser    bytea not null,
  email      text not null,
  digest     bytea not null,
  tries      smallint not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index email_codes_by_expiry on email_codes (expires_at);

comment on table email_codes is 'Codes of eight digits that were sent to an email, to prove that it can be read.';
comment on column email_codes.owner_id is 'The account that is to have the email, or the invitation that is accepted with it. A new code replaces the one before.';
comment on column email_codes.browser is 'Digest of the cookie of the browser that asked: it is valid in no other.';
comment on column email_codes.digest is 'Keyed, since eight digits could be guessed from a plain one.';
comment on column email_codes.tries is 'Counted before a code is compared.';
