-- Whom a customer requires to have a second factor (decision 6.66), and resets of a member's factors (decision 6.68).

alter table customers
  add column second_factor_administrators_since timestamptz,
  add column second_factor_all_since timestamptz,
  add constraint customers_second_factor_of_all_includes_administrators
    check (second_factor_all_since is null or second_factor_administrators_since is not null);

comment on column customers.second_factor_administrators_since is
  'Since when administrators need a second factor; null: they do not.';
comment on column customers.second_factor_all_since is 'Since when every member needs one; null: they do not.';

alter table memberships add column administrator_since timestamptz;

comment on column memberships.administrator_since is
  'When a member became an administrator; null: when they joined. The grace of the policy counts from it.';

create function second_factor_of(of_user uuid) returns text
language sql stable parallel safe
as $$
  select case
    when exists (select from passkeys where user_id = of_user) then 'passkey'
    when exists (select from totp_factors where user_id = of_user and enabled_at is not null) then 'app'
  end
$$;

comment on function second_factor_of(uuid) is 'The strongest second factor of an account: passkey or app; null: none.';

-- One notification, however many members: their open streams subscribe to their customer.
create function notify_changed_factor_policy() returns trigger language plpgsql as $$
begin
  perform notify_credentials(array['customer:' || new.id]);
  return null;
end $$;
create trigger customers_factor_policy_changed
  after update of second_factor_administrators_since, second_factor_all_since on customers
  for each row execute function notify_changed_factor_policy();

create table factor_resets (
  user_id          uuid primary key references users,
  customer_id      uuid references customers,
  asked_by         uuid references users,
  asked_at         timestamptz not null,
  takes_effect_at  timestamptz not null,
  constraint factor_resets_asked_by_person_of_customer check ((customer_id is null) = (asked_by is null))
);
create index factor_resets_by_customer on factor_resets (customer_id, user_id) where customer_id is not null;
create index factor_resets_due on factor_resets (takes_effect_at);

comment on table factor_resets is
  'Resets of a person''s second factors that wait for their time. The row goes when one is applied or cancelled.';
comment on column factor_resets.customer_id is 'Whose administrator asked for it; null: the operator.';
comment on column factor_resets.asked_by is 'The administrator; the reset ends with their role.';

create or replace view directory_customers as
  select id, name, second_factor_administrators_since, second_factor_all_since from customers;
create or replace view directory_memberships as
  select customer_id, user_id, role, active, created_at, administrator_since from memberships;
