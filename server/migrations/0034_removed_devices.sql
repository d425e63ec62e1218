-- Whoever comes back to a live stream is told which devices were removed meanwhile.
create index devices_removed_of_customer on devices (customer_id, removed_at) where removed_at is not null;
