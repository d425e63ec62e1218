import type { Context } from '../../directory/context.ts'

const purpose = 'command parameters'

type Values = Record<string, unknown>

/** Null when there are none. */
export function sealSecrets({ masterKey }: Pick<Context, 'masterKey'>, secrets: Values): Buffer | null {
  return Object.keys(secrets).length === 0 ? null : masterKey.seal(purpose, JSON.stringify(secrets))
}

export function openSecrets({ masterKey }: Pick<Context, 'masterKey'>, sealed: Buffer): Values {
  return JSON.parse(masterKey.open(purpose, sealed)) as Values
}
