import { startTransition, useEffect, useState } from 'react'

/**
 * Whether the first frame with the content has been painted: work that may come later, such as loading a script, begins then.
 * In a hidden tab nothing is painted, and it stays false.
 * @param isThere the content is part of the page
 */
export function useDrawn(isThere: boolean): boolean {
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => {
    if (!isThere) return
    let timer: ReturnType<typeof setTimeout> | undefined
    // The callback runs before the frame is painted, a timer that it sets runs after that.
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setDrawn(true)))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [isThere])
  return isDrawn
}
