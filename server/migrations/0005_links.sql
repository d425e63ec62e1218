-- One-time links. An invitation leads one email into a customer, a partner, or a partner and its lab; whether that email is
-- known is found out when it is accepted, never when it is made. A password reset belongs to one person. A link is good
-- only while whoever made it has the right to make it.

create table one_time_links (
  id          uuid primary key,
  digest      bytea unique,                  -- null: invited with a token or an API key, and no administrator has made the link yet
  purpose     text not null check (purpose in ('invitation', 'password_reset')),
  user_id     uuid references users,
  customer_id uuid references customers,
  partner_id  uuid references partners,
  email       text,
  name        text,
  role        text check (role in ('administrator', 'member')),
  group_ids   uuid[] not null default '{}',
  maker_kind  text not null check (maker_kind in ('operator', 'user', 'application', 'api_key')),
  maker_id    uuid,                          -- of the user, application or API key
  issued_by   uuid references users,         -- the administrator who made the present link; null: the operator, or nobody yet
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz,
  check ((maker_kind = 'operator') = (maker_id is null)),
  check (case purpose
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
