import { type ComponentType, useEffect, useState } from 'react'
import { withMoreStyles } from '../more-styles.ts'
import type { TooltipText } from './shown-tooltip.tsx'

const openMilliseconds = 200

let loaded: ComponentType<TooltipText> | undefined

async function load(): Promise<ComponentType<TooltipText> | undefined> {
  loaded ??= await withMoreStyles(import('./shown-tooltip.tsx')).then(
    (file) => file.ShownTooltip,
    // Tried again with the next one.
    () => undefined,
  )
  return loaded
}

/**
 * Tooltips of all elements with `data-tooltip`, by mouse, touch and keyboard. One for the page instead of one around each
 * element: a list has hundreds, and what places them is loaded with the first that is shown.
 */
export function LateTooltips() {
  const [shown, setShown] = useState<TooltipText | null>(null)
  const [Tooltip, setTooltip] = useState<ComponentType<TooltipText> | undefined>()
  const target = shown?.target
  useEffect(() => watchTargets((element) => setShown(element ? textOf(element) : null)), [])
  useEffect(() => {
    if (!target) return
    void load().then((component) => setTooltip(() => component))
    // The label changes, or its element is removed from under the mouse.
    const observer = new MutationObserver(() => setShown(textOf(target)))
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-tooltip'] })
    return () => observer.disconnect()
  }, [target])
  return shown && Tooltip ? <Tooltip {...shown} /> : null
}

function textOf(target: HTMLElement): TooltipText | null {
  const label = target.dataset.tooltip
  return label && target.isConnected ? { target, label } : null
}

/** Calls back with the element whose tooltip is wanted, or with null. */
function watchTargets(want: (target: HTMLElement | null) => void): () => void {
  let wanted: HTMLElement | null = null
  let timer: number | undefined
  const change = (target: HTMLElement | null, delay: number) => {
    if (target === wanted) return
    wanted = target
    window.clearTimeout(timer)
    want(null)
    if (!target) return
    void load()
    timer = window.setTimeout(() => want(target), delay)
  }
  const targetOf = ({ target }: Event) =>
    target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : null
  const onOver = (event: Event) => change(targetOf(event), openMilliseconds)
  const onFocus = (event: Event) => {
    const target = targetOf(event)
    if (target?.matches(':focus-visible')) change(target, 0)
  }
  const onBlur = (event: Event) => {
    // The mouse may be on another element, whose tooltip stays.
    if (targetOf(event) === wanted) change(null, 0)
  }
  const onLeave = () => change(null, 0)
  const onKey = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') change(null, 0)
  }
  const listeners = { mouseover: onOver, focusin: onFocus, focusout: onBlur, keydown: onKey as EventListener }
  for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener)
  document.documentElement.addEventListener('mouseleave', onLeave)
  return () => {
    window.clearTimeout(timer)
    for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener)
    document.documentElement.removeEventListener('mouseleave', onLeave)
  }
}
