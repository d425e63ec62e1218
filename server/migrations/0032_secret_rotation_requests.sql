-- A partner asks, the operator rotates (spec 2.1). Cleared by the rotation.
alter table applications add column secret_rotation_requested_at timestamptz;
