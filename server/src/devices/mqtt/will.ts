import type { IConnectPacket } from 'mqtt-packet'

/** What a device leaves to be said in case it is lost. */
export interface Will {
  payload: Buffer
}

export function willOf({ will }: IConnectPacket): Will | null {
  return will ? { payload: Buffer.from(will.payload) } : null
}
