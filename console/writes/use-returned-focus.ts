import { useEffect, useState } from 'react'

/** On unmount, returns the focus to the element that had it before, such as the button that opened a dialog. */
export function useReturnedFocus(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      // Mantine's dialogs return the focus themselves when they are closed and stay mounted. An element that has the focus by now keeps it.
      queueMicrotask(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body
        if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus()
      })
    },
    [opener],
  )
}
