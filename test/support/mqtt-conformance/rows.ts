import { connectRows } from './connect-rows.ts'
import { otherRows } from './other-rows.ts'
import { publishRows } from './publish-rows.ts'
import type { Row } from './row.ts'

/** Every normative statement of MQTT 3.1.1 and 5 that one exchange of packets with a server can show. */
export const rows: readonly Row[] = [...connectRows, ...publishRows, ...otherRows]
