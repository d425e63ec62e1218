import { closeSync, openSync } from 'node:fs'

/**
 * SIGHUP has two meanings: a terminal is gone, with everything that was started in it, or an operator asks for a reload.
 * Of a terminal that is gone, `/dev/tty` can no longer be opened. The process then ends by the signal, as it would
 * without this handler: a log that can no longer be written would keep it from closing anything.
 */
export function onReload(reload: () => void): void {
  const startedInTerminal = hasTerminal()
  const onHangUp = () => {
    if (!startedInTerminal || hasTerminal()) return reload()
    process.off('SIGHUP', onHangUp)
    process.kill(process.pid, 'SIGHUP')
  }
  process.on('SIGHUP', onHangUp)
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
