import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { messageLimits } from '../../platform/own-limits.ts'
import type { MessageColumns } from './message-columns.ts'

/** Of a device (decision 7.7). With half as many in `rest` there is room for any two messages. */
const { dataPoints: maxDataPoints, removedDataPoints: maxRemoved, keys: maxOfMessage } = messageLimits

/** Whether the state has room for the message's keys; the keys of the newest message need no count. */
export function hasRoom(sql: Sql, { replacing }: MessageColumns): Fragment {
  return sql`(
    state.latest_keys is null or state.latest_keys = message.keys ${replacing ? sql`or message.replacing` : sql``}
    or (select count(*) from jsonb_object_keys(state.rest)) <= ${maxDataPoints - 2 * maxOfMessage}::int
    or (
      select count(*) from (
        select jsonb_object_keys(state.rest) union select json_object_keys(state.latest)
        union select json_object_keys(message.telemetries)
      ) key
    ) <= ${maxDataPoints}::int
  )`
}

/** Whether it has room for the keys of all messages of the device; the first one has the state. */
export function haveRoomTogether(sql: Sql): Fragment {
  return sql`case
    when other_data_points + (select count(*) from jsonb_object_keys(rest)) <= ${maxDataPoints - 2 * maxOfMessage}::int
      then true
    else (
      select count(*) from (
        select jsonb_object_keys(device.rest) union select json_object_keys(device.latest)
        union select json_object_keys(telemetries) from (
          select distinct on (keys) telemetries from locked where locked.number = device.number order by keys
        ) message
      ) key
    ) <= ${maxDataPoints}::int
  end`
}

/**
 * The same where removed data points make room; they count for themselves, until nothing can bring them back. Of several
 * messages none counts on what another one removes: each may be the one that has no room.
 */
export function haveRoomExactly(sql: Sql): Fragment {
  return sql`case
    when other_data_points + (select count(*) from jsonb_object_keys(rest)) <= ${maxDataPoints - 2 * maxOfMessage}::int
      then true
    else (
      select count(*) filter (where has_value) <= ${maxDataPoints}::int and count(*) <= ${maxDataPoints + maxRemoved}::int
      from (
        select key, bool_or(value <> 'null') as has_value from (
          select key, value -> 0 as value from jsonb_each(case
            when (select count(*) from locked where locked.number = device.number) > 1 then rest_after(
              device.rest, array[device.latest_keys], array[device.latest], array[device.latest_at],
              array[device.latest_arrived_at]
            )
            else rest_after(
              device.rest, array[device.latest_keys, keys], array[device.latest, telemetries], array[device.latest_at, at],
              array[device.latest_arrived_at, arrived_at]
            )
          end)
          union all
          select point.key, point.value::jsonb from locked cross join lateral json_each(locked.telemetries) point
          where locked.number = device.number
            and (select count(*) from locked where locked.number = device.number) > 1
        ) point
        where key <> '' group by key
      ) point
    )
  end`
}
