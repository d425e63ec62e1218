/** Stands for what your devices tell your cloud. */
export function readSensor(sn, at) {
  const phase = [...sn].reduce((sum, character) => sum + character.charCodeAt(0), 0)
  const hours = at.getTime() / 3_600_000
  const temperature = 21 + Math.sin(hours * 2 + phase) + 0.2 * Math.sin(hours * 90 + phase)
  return {
    temperature: Math.round(temperature * 10) / 10,
    humidity: Math.round(45 + 6 * Math.cos(hours * 1.5 + phase)),
    heating: temperature < 21,
    mode: 'comfort',
  }
}
