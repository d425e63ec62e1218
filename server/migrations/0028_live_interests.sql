-- Customers whose devices somebody watches live, and on which process. Ingest sends word for these and no others.
-- Unlogged: after a crash of Postgres every stream comes back by itself and says so again.

create unlogged table live_interests (
  customer_id uuid not null,
  process_id  uuid not null,
  until       timestamptz not null,
  primary key (customer_id, process_id)
);
