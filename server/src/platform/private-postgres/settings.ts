import { totalmem } from 'node:os'

/** Bytes this process may use: a container's limit may be lower than the machine's memory. */
export function memoryOf({ machine = totalmem(), limit = process.constrainedMemory() } = {}): number {
  return Math.min(machine, limit || machine)
}

export function defaultSettings(memory = memoryOf()): Record<string, string> {
  const megabytes = Math.round(memory / 1_048_576)
  return {
    max_connections: '100',
    shared_buffers: `${Math.min(1024, Math.max(128, Math.round(megabytes / 8)))}MB`,
    // Room for a burst of telemetry between two checkpoints, so that ingest does not wait for them.
    max_wal_size: '2GB',
    min_wal_size: '256MB',
    wal_buffers: '16MB',
    checkpoint_timeout: '15min',
    // Every statement of ours is short: compiling one costs more than running it.
    jit: 'off',
    // Postgres's log goes to ours, which must not contain statements or values of rows.
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    log_line_prefix: '',
  }
}
