/** However often it is called within one turn of the event loop, `run` runs once, at the end of that turn. */
export function oncePerTick(run: () => void): () => void {
  let scheduled = false
  return () => {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      run()
    })
  }
}
