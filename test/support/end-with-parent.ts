/**
 * Node's flags for a child that ends when this process does. A test file that fails while it sets up, is killed or runs
 * out of time neither calls its `after` hooks nor emits `exit`: so the child itself checks whether its parent is alive.
 */
export function endWithParent(): string[] {
  // What such a child forks inherits these flags, and has another parent, who lives as long as we do.
  const script = `
    const parent = process.ppid
    const end = () => process.kill(process.pid, 'SIGKILL')
    if (parent !== ${process.pid}) try { process.kill(${process.pid}, 0) } catch { end() }
    setInterval(() => { if (process.ppid !== parent) end() }, 250).unref()`
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
}
