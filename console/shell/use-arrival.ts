import { useLocation, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useWords } from '../words/use-words.js'
import { titleOf } from './title.js'

/** Says where a reader has arrived: by the page's title, and by the focus, which would be nowhere when the link that was followed is gone. */
export function useArrival(content: string): void {
  const router = useRouter()
  const words = useWords()
  const { pathname } = useLocation()
  useEffect(() => {
    document.title = titleOf(pathname, words)
  }, [pathname, words])
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        // The first page is read from its beginning, as any other page of a browser.
        if (!pathChanged || fromLocation === undefined || document.activeElement !== document.body) return
        document.getElementById(content)?.focus({ preventScroll: true })
      }),
    [router, content],
  )
}
