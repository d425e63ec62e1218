-- Why a partner's application or device was turned down lately. Bounded: the newest of each kind are kept, for a while.

create table integration_failures (
  id             uuid primary key,
  partner_id     uuid not null,
  subject_id     uuid not null,               -- the application, the model, or the partner itself
  application_id uuid,
  model_id       uuid,
  device_id      uuid,
  at             timestamptz not null,
  request_id     text not null,
  endpoint       text not null,
  status         integer not null,
  error          text not null,               -- the word the client got
  description    text,                        -- the sentence it got
  reason         text not null,               -- the private why: a word of platform/failure-reasons.ts
  detail         text                         -- what was seen, where it can be told; never a token, secret or code
);
create index integration_failures_by_partner on integration_failures (partner_id, id);
create index integration_failures_by_subject on integration_failures (subject_id, id);
create index integration_failures_by_kind on integration_failures (subject_id, reason, id);
create index integration_failures_by_age on integration_failures (at);
