import { useLocation, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useWords } from '../words/use-words.js'
import { titleOf } from './title.js'

/** After navigation, sets the page's title and moves the focus to the content. The focus would be lost where the followed link is gone. */
export function useArrival(content: string): void {
  const words = useWords()
  const { pathname } = useLocation()
  useEffect(() => {
    document.title = titleOf(pathname, words)
  }, [pathname, words])
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const before = useRef<string>(undefined)
  useEffect(() => {
    // The first page keeps the browser's focus.
    const isFirst = before.current === undefined
    before.current = shown
    if (isFirst || document.activeElement !== document.body) return
    document.getElementById(content)?.focus({ preventScroll: true })
  }, [shown, content])
}
