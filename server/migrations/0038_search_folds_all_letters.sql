-- Names and serial numbers are in the collation "C", where lower() knows no letters but a to z: search finds "Étage" by
-- "étage" with the database's own. Their order stays that of "C".

drop index devices_of_customer_by_name;
drop index devices_of_customer_by_sn;
drop index devices_of_partner_by_sn;
create index devices_of_customer_by_name
  on devices (customer_id, lower(name collate "default") collate "C", id) where removed_at is null;
create index devices_of_customer_by_sn
  on devices (customer_id, lower(sn collate "default") collate "C", id) where removed_at is null;
create index devices_of_partner_by_sn
  on devices (partner_id, lower(sn collate "default") collate "C", id) where removed_at is null;
