-- A space is kept in sync by an application only while the customer's approval of it stands. Deferred: withdrawing deletes
-- the approval and lets go of its spaces in one transaction, in whichever order; a space that is being made synced at
-- that very moment is refused at its commit, or let go with the others.

alter table spaces add constraint synced_by_an_approved_application
  foreign key (synced_by, customer_id) references approvals (client_id, customer_id) deferrable initially deferred;
create index spaces_by_application on spaces (synced_by, customer_id) where synced_by is not null;
create index spaces_by_parent on spaces (customer_id, parent_id, id);
