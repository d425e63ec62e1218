-- The day for which a delivery is tried begins here: until then it waited for us, and nobody had a chance to take it.
alter table webhook_deliveries add column first_attempted_at timestamptz;
