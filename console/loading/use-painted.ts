import { startTransition, useEffect, useState } from 'react'

/**
 * Whether the first frame with the content has been painted. Less urgent work, such as loading a script, begins then. It stays false in a hidden tab,
 * which is not painted.
 * @param isThere the content is part of the page
 */
export function usePainted(isThere: boolean): boolean {
  const [isPainted, setPainted] = useState(false)
  useEffect(() => {
    if (!isThere) return
    let timer: ReturnType<typeof setTimeout> | undefined
    // An animation frame callback runs before the frame is painted; a timer that it sets runs after it.
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setPainted(true)))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [isThere])
  return isPainted
}
