import { ActionIcon } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { lazyPiece } from '../parts/lazy-piece.js'
import { Shortcuts } from '../search/shortcuts.js'
import { useWords } from '../words/use-words.js'

const Palette = lazyPiece(async () => (await import('../search/palette.js')).Palette, 'over')
const KeyboardHelp = lazyPiece(async () => (await import('../search/keyboard-help.js')).KeyboardHelp, 'over')

/** The way to the search, and what keys do everywhere. */
export function Keyboard() {
  const { nav } = useWords()
  const navigate = useNavigate()
  const [shown, setShown] = useState<'search' | 'help'>()
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
      else setShown(shortcut)
    }
    document.addEventListener('keydown', pressed)
    return () => document.removeEventListener('keydown', pressed)
  }, [navigate])
  const close = () => setShown(undefined)
  return (
    <>
      <ActionIcon
        variant="subtle"
        size="lg"
        aria-label={nav.search}
        title={`${nav.search} (Ctrl K)`}
        onClick={() => setShown('search')}
      >
        ⌕
      </ActionIcon>
      <Suspense>
        {shown === 'search' && <Palette close={close} />}
        {shown === 'help' && <KeyboardHelp close={close} />}
      </Suspense>
    </>
  )
}
