-- no transaction
create index concurrently if not exists devices_by_settings on devices (customer_id, settings, id)
  where settings is not null and removed_at is null;
create index concurrently if not exists devices_that_differ on devices (customer_id, id)
  where settings_differ and removed_at is null;
