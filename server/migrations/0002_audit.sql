-- What happened. Append-only in the database itself: no API, and no careless statement, can change the record. Only the
-- retention job removes events: it says so in its transaction, and what is younger than 30 days stays all the same.

create table audit_events (
  id             uuid primary key,
  type           text not null,
  at             timestamptz not null,
  actor          jsonb not null,
  partner_id     uuid,
  application_id uuid,
  customer_id    uuid,
  device_id      uuid,
  details        jsonb not null default '{}'
);
create index audit_events_by_type on audit_events (type, id);
create index audit_events_by_customer on audit_events (customer_id, id) where customer_id is not null;
create index audit_events_by_partner on audit_events (partner_id, id) where partner_id is not null;
create index audit_events_by_application on audit_events (application_id, id) where application_id is not null;
-- A rare kind of event of a busy customer is found without reading all its others.
create index audit_events_by_customer_and_type on audit_events (customer_id, type, id) where customer_id is not null;
create index audit_events_by_application_and_type on audit_events (application_id, type, id) where application_id is not null;
create index audit_events_by_age on audit_events (at);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create trigger audit_events_are_append_only before update or truncate on audit_events
  for each statement execute function refuse_change();

create function is_audit_retention() returns boolean language sql stable as $$
  select coalesce(current_setting('landbridge.audit_retention', true), '') = 'on'
$$;

create trigger audit_events_are_removed_by_retention_only before delete on audit_events
  for each statement when (not is_audit_retention()) execute function refuse_change();

create trigger young_audit_events_stay before delete on audit_events
  for each row when (old.at >= now() - interval '30 days') execute function refuse_change();
