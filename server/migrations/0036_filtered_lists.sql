-- The few of a kind in a long list are found without reading all the others.
create index webhook_deliveries_by_state on webhook_deliveries (endpoint_id, state, event_id);
create index audit_events_by_partner_and_type on audit_events (partner_id, type, id) where partner_id is not null;
