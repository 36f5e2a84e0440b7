import { useEffect, useState } from 'react'

/** Gives the focus back to what had it, such as the button that opened a dialog, when the caller leaves the screen. */
export function useReturnedFocus(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      // A dialog gives it back itself where it closes and stays; what it was given to meanwhile keeps it.
      queueMicrotask(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body
        if (isLost && opener instanceof HTMLElement && opener.isConnected) opener.focus()
      })
    },
    [opener],
  )
}
