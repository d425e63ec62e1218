-- What a customer approved an application for (decision 6.48). Null is everything: what was approved before keeps its reach.

alter table approvals
  add column permissions jsonb,
  add column within uuid[],
  add column requested jsonb;

comment on column approvals.permissions is 'Its level in each area. Null: everything that a token may do.';
comment on column approvals.within is
  'The spaces, with all below them, to which devices, spaces and audit are limited; null: everywhere. One that was deleted covers nothing.';

comment on column approvals.requested is
  'What the application asked for, by area, when this was approved: consent shows what it asks for beyond that. Null: everything.';

create trigger approvals_narrowed after update of permissions, within on approvals
  for each row execute function notify_ended_client();
