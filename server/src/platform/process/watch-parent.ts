/**
 * `kill` of an `npm start` reaches npm and the shell it runs us in, and some shells die without passing it on. A
 * process that npm started and that has lost its parent was meant to stop.
 */
export function watchParent(onGone: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, 250)
  timer.unref()
}
