import { useLocation, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useWords } from '../words/use-words.js'
import { titleOf } from './title.js'

/** Says where a reader has arrived: by the page's title, and by the focus, which would be nowhere when the link that was followed is gone. */
export function useArrival(content: string): void {
  const words = useWords()
  const { pathname } = useLocation()
  useEffect(() => {
    document.title = titleOf(pathname, words)
  }, [pathname, words])
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const before = useRef<string>(undefined)
  useEffect(() => {
    // The first page is read from its beginning, as any other page of a browser.
    const isFirst = before.current === undefined
    before.current = shown
    if (isFirst || document.activeElement !== document.body) return
    document.getElementById(content)?.focus({ preventScroll: true })
  }, [shown, content])
}
