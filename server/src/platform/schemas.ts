import { type TSchema, Type } from 'typebox'

/** The words every API's schemas are made of. */
export const Id = Type.String({ format: 'uuid' })
export const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
export const Email = Type.String({ format: 'email', maxLength: 254 })
export const Password = Type.String({ minLength: 10, maxLength: 256 })
export const PortalDomain = Type.String({
  pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$',
  maxLength: 260,
  description: '`host[:port]`, in lower case',
})

/** An instant as it is written: RFC 3339 in UTC. The driver gives Dates, the serializer writes them. */
export const Instant = Type.Unsafe<Date>({ type: 'string', format: 'date-time' })

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** A path's id that is no UUID names nothing: the writer of refusals answers 404, as for one that is unknown. */
export const IdPath = Type.Object({ id: Id })
