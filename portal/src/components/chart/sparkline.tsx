interface SparklineProps {
  /** `[seconds, value]` in order of time. */
  points: [number, number][]
  color: string
  label: string
}

const width = 120
const height = 28

/** A line without axes. A part of the start pages, so without the chart's library. */
export function Sparkline({ points, color, label }: SparklineProps) {
  const [from, to] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0]
  const top = Math.max(1, ...points.map(([, value]) => value))
  const x = (at: number) => (to > from ? ((at - from) / (to - from)) * width : width)
  const y = (value: number) => height - 2 - (value / top) * (height - 4)
  const line = points.map(
    ([at, value], index) => `${index === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`,
  )
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={`${line.join('')}L${width} ${height}L${x(from).toFixed(1)} ${height}Z`} fill={color} opacity="0.15" />
      <path d={line.join('')} fill="none" stroke={color} strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
