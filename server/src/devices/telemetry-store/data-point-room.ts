import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { messageLimits } from '../../platform/own-limits.ts'

/** Of a device (decision 7.7). With half as many in `rest` there is room for any two messages. */
const { dataPoints: maxDataPoints, keys: maxOfMessage } = messageLimits

/** Whether the state has room for the message's keys; the keys of the newest message need no count. */
export function hasRoom(sql: Sql): Fragment {
  return sql`(
    state.latest_keys is null or state.latest_keys = message.keys
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
