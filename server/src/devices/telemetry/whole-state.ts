/**
 * A message that replaces the whole state says so in its own text, under the empty name, which no data point can have: it
 * passes as it is through the queue, other processes, the state and the history (decision 7.98).
 */
export function replacing(telemetries: string): string {
  return telemetries === '{}' ? '{"":true}' : `{"":true,${telemetries.slice(1)}`
}

export function replacesState({ telemetries }: { telemetries: string }): boolean {
  return telemetries.startsWith('{"":')
}
