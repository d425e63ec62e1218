import { Tooltip } from '@mantine/core'
import { useEffect, useId } from 'react'

export interface TooltipText {
  target: HTMLElement
  label: string
}

export function ShownTooltip({ target, label }: TooltipText) {
  const id = useId()
  useEffect(() => {
    target.setAttribute('aria-describedby', id)
    return () => target.removeAttribute('aria-describedby')
  }, [target, id])
  return <Tooltip target={target} label={<span id={id}>{label}</span>} opened multiline maw={280} />
}
