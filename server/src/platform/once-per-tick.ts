/** Asked for any number of times in one turn of the event loop, `run` runs once at its end, when all have arrived. */
export function oncePerTick(run: () => void): () => void {
  let asked = false
  return () => {
    if (asked) return
    asked = true
    setImmediate(() => {
      asked = false
      run()
    })
  }
}
