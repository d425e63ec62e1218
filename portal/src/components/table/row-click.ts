import type { MouseEvent } from 'react'
import type { NavigateFunction } from 'react-router'

/** A click anywhere in a row opens it, except on a control of its own, and when text was selected in it. */
export function openRow(event: MouseEvent<HTMLElement>, to: string, navigate: NavigateFunction): void {
  if (event.defaultPrevented || (event.target as HTMLElement).closest('a, button, input, label')) return
  if (window.getSelection()?.isCollapsed === false) return
  if (event.button === 1 || event.ctrlKey || event.metaKey) window.open(to)
  else if (event.button === 0) void navigate(to)
}
