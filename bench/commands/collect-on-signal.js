// Loaded into a service whose memory is measured: garbage that waits for its collection is nobody's.
process.on('SIGUSR2', () => globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }))
