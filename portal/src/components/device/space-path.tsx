/** `Berlin / 3rd floor / 311`: where there is no room the middle is cut; a tooltip and screen readers have all of it. */
export function SpacePath({ path }: { path: readonly string[] }) {
  if (path.length === 0) return null
  const above = path.slice(0, -1).join(' / ')
  return (
    <span className="space-path" title={path.join(' / ')}>
      {above && <span className="space-path-above">{above}</span>}
      <span className="space-path-last">
        {above && ' / '}
        {path.at(-1)}
      </span>
    </span>
  )
}
