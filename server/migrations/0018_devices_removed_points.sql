-- Telemetry may remove data points (decision 7.98): a value of null is kept like any other, and readers leave it out; a
-- message that replaces the whole state says so under the empty name, which no data point can have. Release 1.0.0 stores
-- and merges both as they are.

create function rest_after(
  rest jsonb, keys bigint[], telemetries json[], at timestamptz[], arrived_at timestamptz[]
) returns jsonb
language sql immutable parallel safe
as $$
  with message as (
    select distinct on (keys) telemetries, turn, floor(extract(epoch from at) * 1000)::bigint as at,
      floor(extract(epoch from arrived_at) * 1000)::bigint as arrived_at
    from unnest(keys, telemetries, at, arrived_at) with ordinality as message (keys, telemetries, at, arrived_at, turn)
    where telemetries is not null
    order by keys, message.at desc, message.arrived_at desc, turn desc
  ), entry as (
    select key, jsonb_build_array(value::jsonb, at, arrived_at) as entry, at, arrived_at, turn
    from message cross join lateral json_each(message.telemetries)
    union all
    select key, value, (value ->> 1)::bigint, (value ->> 2)::bigint, 0 from jsonb_each(rest)
  ), newest as (
    select distinct on (key) key, entry, at, arrived_at, turn from entry order by key, at desc, arrived_at desc, turn desc
  ), bound as materialized (
    -- Nothing before this is in the state; what was removed before `forgotten` nothing can bring back.
    select coalesce(max(at) filter (where key = ''), 0) as at, coalesce(max(arrived_at) filter (where key = ''), 0) as arrived_at,
      coalesce(max(turn) filter (where key = ''), 0) as turn, (select max(arrived_at) from message) - 691200000 as forgotten
    from newest
  )
  select '{"": [false, 0, 0]}' || coalesce(jsonb_object_agg(newest.key, newest.entry), '{}')
  from newest cross join bound
  where (newest.at, newest.arrived_at, newest.turn) >= (bound.at, bound.arrived_at, bound.turn)
    and (newest.entry -> 0 <> 'null' or newest.at >= bound.forgotten)
$$;

comment on function rest_after(jsonb, bigint[], json[], timestamptz[], timestamptz[]) is
  'As fold_state, and leaves out what a later message replaced with the whole state, and what was removed eight days ago: a '
  'message may be seven days old. The empty name stays, so that a device is known to have removed data points.';

comment on column device_states.rest is
  'Every other key: {key: [value, at, arrived_at]}, times in milliseconds. A removed one has the value null; what is older '
  'than the entry of the empty name was replaced with the whole state.';

create or replace function alarms_after(alarms jsonb, alarming jsonb[], telemetries json[], at timestamptz[]) returns jsonb
language sql immutable parallel safe
as $$
  with watched as (
    select pair.key, jsonb_agg(pair.value) as value
    from unnest(alarming) one cross join lateral jsonb_each(one) pair group by pair.key
  ), point as (
    select watched.key, turn, floor(extract(epoch from message.at) * 1000)::bigint as at,
      coalesce(watched.value @> (message.telemetries -> watched.key)::jsonb, false) as is_alarm
    from unnest(telemetries, at) with ordinality as message (telemetries, at, turn) cross join watched
    where message.telemetries -> watched.key is not null or message.telemetries -> '' is not null
  ), ended as (
    select key, max(turn) as turn from point where not is_alarm group by key
  ), begun as (
    select distinct on (point.key) point.key, point.at
    from point left join ended on ended.key = point.key
    where point.turn > coalesce(ended.turn, 0)
    order by point.key, point.turn
  )
  select jsonb_object_agg(watched.key, coalesce(
    case when ended.turn is null then alarms -> watched.key end, to_jsonb(begun.at)))
  from watched left join ended on ended.key = watched.key left join begun on begun.key = watched.key
  where begun.at is not null or (ended.turn is null and alarms -> watched.key is not null)
$$;

comment on function alarms_after(jsonb, jsonb[], json[], timestamptz[]) is
  'device_states.alarms after messages in their order: an alarm goes on until a message has another value of its key, or '
  'replaces the whole state without it.';
