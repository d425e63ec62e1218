-- Whoever may see some spaces only is told when a device leaves them, also when the stream was away at that moment.

alter table devices add column moved_at timestamptz;

comment on column devices.moved_at is 'When it was last moved to another space; null: not since it was claimed.';
