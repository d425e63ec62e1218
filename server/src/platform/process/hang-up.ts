import { closeSync, openSync } from 'node:fs'

/**
 * SIGHUP has two meanings: a terminal is gone, with everything that was started in it, or an operator asks for a reload.
 * Of a terminal that is gone, `/dev/tty` can no longer be opened.
 */
export function onHangUp({ terminalGone, reload }: { terminalGone(): void; reload(): void }): void {
  const startedInTerminal = hasTerminal()
  process.on('SIGHUP', () => {
    if (startedInTerminal && !hasTerminal()) terminalGone()
    else reload()
  })
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
