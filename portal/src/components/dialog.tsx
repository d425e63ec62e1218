import { Modal, type ModalProps } from '@mantine/core'
import { useEffect } from 'react'

/** There while it is open and gone when it closes; then the focus is back where it came from. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useEffect(() => {
    const opener = openerOf(document.activeElement)
    return () => opener?.focus({ preventScroll: true })
  }, [])
  return <Modal opened {...props} />
}

/** The item of a menu is gone with its menu: whoever opened the menu stands for it. */
function openerOf(active: Element | null): HTMLElement | null {
  const menu = active?.closest('[role=menu]')
  const opener = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active
  return opener instanceof HTMLElement ? opener : null
}
