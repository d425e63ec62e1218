/**
 * One value per context, created when it is first needed. A coalescer belongs to one database: a module-level one would
 * mix the statements of two services that a test runs in one process.
 */
export function perContext<Holder extends object, Value>(make: (context: Holder) => Value): (context: Holder) => Value {
  const values = new WeakMap<Holder, Value>()
  return (context) => {
    let value = values.get(context)
    if (value === undefined) {
      value = make(context)
      values.set(context, value)
    }
    return value
  }
}
