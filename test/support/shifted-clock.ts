// Loaded before the service: its own clock is wrong by so many seconds, at first and after each SIGUSR2.
const [first = 0, ...later] = (process.env.CLOCK_SHIFTS ?? '').split(',').map(Number)
const RealDate = Date
let shift = first * 1000

globalThis.Date = class extends RealDate {
  constructor(...values: []) {
    if (values.length === 0) super(RealDate.now() + shift)
    else super(...values)
  }
  static override now(): number {
    return RealDate.now() + shift
  }
} as DateConstructor
process.on('SIGUSR2', () => {
  shift = (later.shift() ?? 0) * 1000
})
