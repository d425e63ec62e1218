/**
 * Node's flags for a child that ends when this process does. A test file that fails while it sets up, is killed or runs
 * out of time neither calls its `after` hooks nor emits `exit`: so the child itself looks whether its parent is there.
 */
export function endWithParent(): string[] {
  const script = `
    const end = () => { if (process.ppid !== ${process.pid}) process.kill(process.pid, 'SIGKILL') }
    end()
    setInterval(end, 250).unref()`
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
}
