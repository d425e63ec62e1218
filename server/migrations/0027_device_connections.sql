-- Which MQTT connection of a device is its current one, over all processes: the one with the highest number. The row
-- stays when the connection ends, so that numbers never start again.

create table device_connections (
  device_id    uuid primary key,
  number       bigint not null,
  connected_at timestamptz not null
) with (fillfactor = 70);
