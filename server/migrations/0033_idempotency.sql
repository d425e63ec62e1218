-- What a creating call answered, kept for a day: the same call again gets the same answer, and nothing is made twice.

create table idempotency_keys (
  digest       bytea primary key,             -- of who called, what, and the key they gave
  body_digest  bytea not null,
  attempt      integer not null,              -- whose turn it is: an attempt that was given up for dead cannot commit
  reserved_at  timestamptz not null,
  carried_out  boolean not null default false,  -- set in the transaction of the act itself
  status       smallint,
  content_type text,
  answer       bytea                          -- sealed with the master key: it may hold a secret that is told once
);
create index idempotency_keys_by_age on idempotency_keys (reserved_at);
