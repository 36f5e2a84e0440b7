import { Button, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { lazyPiece } from '../loading/lazy-piece.js'
import { Shortcuts } from '../search/shortcuts.js'
import { TypedAhead } from '../search/typed-ahead.js'
import { useWords } from '../words/use-words.js'

const Palette = lazyPiece(async () => (await import('../search/palette.js')).Palette, 'over')
const KeyboardHelp = lazyPiece(async () => (await import('../search/keyboard-help.js')).KeyboardHelp, 'over')

/** Which key the browser's own shortcuts are pressed with. */
const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** The way to the search, and what keys do everywhere. */
export function Keyboard() {
  const { nav } = useWords()
  const navigate = useNavigate()
  const [shown, setShown] = useState<'search' | 'help'>()
  // The search is loaded when it is first wanted, and its reader types on meanwhile.
  const ahead = useRef<{ readonly typed: TypedAhead; readonly from: Element | null }>(undefined)
  const search = useCallback(() => {
    ahead.current ??= { typed: new TypedAhead(), from: document.activeElement }
    setShown('search')
  }, [])
  const isComing = useRef(false)
  const coming = useCallback(() => {
    isComing.current = true
    return () => {
      isComing.current = false
    }
  }, [])
  const close = useCallback(() => {
    ahead.current = undefined
    setShown(undefined)
  }, [])
  useEffect(() => {
    const typed = (event: KeyboardEvent) => {
      // Whoever went elsewhere meanwhile types there.
      if (!isComing.current || !ahead.current || document.activeElement !== ahead.current.from) return
      if (event.key === 'Escape') close()
      else if (!event.isComposing && ahead.current.typed.take(event)) {
        event.preventDefault()
        event.stopPropagation()
      }
    }
    document.addEventListener('keydown', typed, { capture: true })
    return () => document.removeEventListener('keydown', typed, { capture: true })
  }, [close])
  useEffect(() => {
    const shortcuts = new Shortcuts()
    const pressed = (event: KeyboardEvent) => {
      const at = event.target instanceof Element ? event.target : undefined
      const { key, ctrlKey, metaKey, altKey } = event
      const shortcut = shortcuts.read({
        ...{ key, ctrlKey, metaKey, altKey },
        inText: at?.closest('input, textarea, select, [contenteditable=true]') != null,
        inTerminal: at?.closest('.xterm') != null,
      })
      if (shortcut === undefined) return
      event.preventDefault()
      if (shortcut === 'fleet') void navigate({ to: '/instances' })
      else if (shortcut === 'events') void navigate({ to: '/events' })
      else if (shortcut === 'search') search()
      else setShown(shortcut)
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [navigate, search])
  return (
    <>
      <Button
        variant="default"
        size="xs"
        fw={400}
        aria-label={nav.search}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={search}
        style={{ flex: 'none' }}
      >
        ⌕
        <Text span inherit visibleFrom="sm" mx="xs">
          {nav.search}
        </Text>
        <Text span size="xs" c="dimmed" visibleFrom="sm">
          {isMac ? '⌘ K' : 'Ctrl K'}
        </Text>
      </Button>
      <Suspense fallback={shown === 'search' && <Coming begin={coming} />}>
        {shown === 'search' && (
          <Palette close={close} coming={coming} typedAhead={() => ahead.current?.typed.end() ?? ''} />
        )}
        {shown === 'help' && <KeyboardHelp close={close} />}
      </Suspense>
    </>
  )
}

/** Stands where something is being loaded, as long as it is. @param begin called when that begins; returns what ends it */
function Coming({ begin }: { readonly begin: () => () => void }) {
  useLayoutEffect(begin, [begin])
  return null
}
