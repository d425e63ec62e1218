-- no transaction
create index concurrently if not exists devices_moved_by_customer on devices (customer_id, moved_at) where moved_at is not null;
