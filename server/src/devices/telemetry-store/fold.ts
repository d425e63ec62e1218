import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { messageLimits } from '../../platform/own-limits.ts'

/** With fewer there is room for any two messages, and removed ones are no burden. */
const manyDataPoints = messageLimits.dataPoints - 2 * messageLimits.keys

interface Folded {
  telemetries: Fragment
  at: Fragment
  arrivedAt: Fragment
}

/**
 * `fold_state` for one message, written into the statement: a call of the function costs several times as much. A device
 * that sends different data points in turns needs it with every message, and so does a late message of other data points.
 */
export function foldOne(sql: Sql, { telemetries, at, arrivedAt }: Folded): Fragment {
  return sql`coalesce(state.rest || (
    select jsonb_object_agg(key, jsonb_build_array(value, at, arrived_at))
    from (
      select ${milliseconds(sql, at)} as at, ${milliseconds(sql, arrivedAt)} as arrived_at, ${telemetries} as telemetries
      offset 0
    ) folded, jsonb_each(folded.telemetries::jsonb)
    where state.rest -> key is null
      or ((state.rest -> key -> 1)::bigint, (state.rest -> key -> 2)::bigint) <= (at, arrived_at)
  ), state.rest)`
}

function milliseconds(sql: Sql, instant: Fragment): Fragment {
  return sql`floor(extract(epoch from ${instant}) * 1000)::bigint`
}

/** Where every device has one message. */
export function restAfterOne(sql: Sql): Fragment {
  return sql`case
    when state.latest_keys <> device.keys or device.others is not null then ${foldOne(sql, {
      telemetries: sql`coalesce(device.others[1], state.latest)`,
      at: sql`coalesce(device.others_at[1], state.latest_at)`,
      arrivedAt: sql`coalesce(device.others_arrived_at[1], state.latest_arrived_at)`,
    })}
    else state.rest
  end`
}

/** What was the latest before, and those messages with other keys than the one that is the latest now. */
export function restAfterSeveral(sql: Sql): Fragment {
  return sql`case
    when state.latest_keys <> device.keys then fold_state(
      state.rest, array_prepend(state.latest_keys, device.others_keys), array_prepend(state.latest, device.others),
      array_prepend(state.latest_at, device.others_at),
      array_prepend(state.latest_arrived_at, device.others_arrived_at)
    )
    when device.others is not null then
      fold_state(state.rest, device.others_keys, device.others, device.others_at, device.others_arrived_at)
    else state.rest
  end`
}

/** Where a message replaces the whole state, or removed data points have to make room; otherwise as `others` says. */
export function restExactly(sql: Sql, others: Fragment): Fragment {
  return sql`case
    when device.telemetries -> '' is not null then '{}'
    when device.replaces or (select count(*) from jsonb_object_keys(state.rest)) > ${manyDataPoints}::int then rest_after(
      state.rest, array_prepend(state.latest_keys, device.all_keys), array_prepend(state.latest, device.all_telemetries),
      array_prepend(state.latest_at, device.all_at), array_prepend(state.latest_arrived_at, device.all_arrived_at)
    )
    else ${others}
  end`
}
