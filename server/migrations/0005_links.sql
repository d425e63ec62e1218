-- One-time links. An invitation leads one email into one customer or partner; whether that email is known is found out
-- when it is accepted, never when it is made. A password reset belongs to one person.

create table one_time_links (
  id          uuid primary key,
  digest      bytea not null unique,
  purpose     text not null check (purpose in ('invitation', 'password_reset')),
  user_id     uuid references users,
  customer_id uuid references customers,
  partner_id  uuid references partners,
  email       text,
  name        text,
  role        text check (role in ('administrator', 'member')),
  group_ids   uuid[] not null default '{}',
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  used_at     timestamptz,
  check (case purpose
    when 'password_reset' then user_id is not null and email is null
    else user_id is null and email is not null and num_nonnulls(customer_id, partner_id) = 1
      and (customer_id is null) = (role is null) end)
);
create index one_time_links_by_user on one_time_links (user_id) where user_id is not null;
create index one_time_links_by_customer on one_time_links (customer_id, id) where customer_id is not null;
create index one_time_links_by_partner on one_time_links (partner_id, id) where partner_id is not null;
create index one_time_links_by_expiry on one_time_links (expires_at);
