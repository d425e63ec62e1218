import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { wantedDevices } from './devices-wanted.ts'
import { inBuckets } from './lanes.ts'
import { lockStates } from './states.ts'

/** The states of a few devices get other values that are alarms; which of them are alarms now, their next messages say. */
export async function setAlarming(sql: Sql, deviceIds: string[], alarming: string[] | null): Promise<void> {
  await lockStates(sql, deviceIds)
  await sql`
    update device_states state set alarming = ${alarming}::jsonb[]
    from ${wantedDevices(sql, deviceIds)}
    where state.bucket = wanted.bucket and state.device_id = wanted.device_id
      ${inBuckets(sql, sql`state`, deviceIds)}`
}

interface Sent {
  newest: Fragment
  telemetries: Fragment
  at: Fragment
}

/**
 * Since when each alarm lasts, after a device's only message. The function is called only while there is an alarm: it
 * costs as much as all else of a message.
 */
export function alarmsAfterOne(sql: Sql, { newest, telemetries, at }: Sent): Fragment {
  return sql`case
    when state.alarming is null then null
    when not ${newest} then state.alarms
    when state.alarms is null and not ${telemetries}::jsonb @> any(state.alarming) then null
    else alarms_after(state.alarms, state.alarming, array[${telemetries}], array[${at}])
  end`
}

export function alarmsAfterSeveral(sql: Sql): Fragment {
  return sql`case
    when state.alarming is null then null
    when device.watched is null then state.alarms
    else alarms_after(state.alarms, state.alarming, device.watched, device.watched_at)
  end`
}
