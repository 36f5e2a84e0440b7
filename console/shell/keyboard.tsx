import { Button, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect, useLayoutEffect, useState } from 'react'
import { lazyComponent } from '../loading/lazy-component.js'
import { Shortcuts } from '../search/shortcuts.js'
import { useKeyBuffer } from '../search/use-key-buffer.js'
import { useWords } from '../words/use-words.js'

const Palette = lazyComponent(async () => (await import('../search/palette.js')).Palette, 'over')
const KeyboardHelp = lazyComponent(
  async () => (await import('../search/keyboard-help.js')).KeyboardHelp,
  'over',
)

/** Whether shortcuts are pressed with ⌘ and not with Ctrl. */
const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** The button that opens the search palette, and the shortcuts of all screens. */
export function Keyboard() {
  const { nav } = useWords()
  const navigate = useNavigate()
  const [shown, setShown] = useState<'search' | 'help'>()
  const hide = useCallback(() => setShown(undefined), [])
  // The palette is loaded when it is first opened. Keys that are typed meanwhile are kept for its field.
  const { begin, collect, takeText, drop } = useKeyBuffer(hide)
  const search = useCallback(() => {
    begin()
    setShown('search')
  }, [begin])
  const close = useCallback(() => {
    drop()
    hide()
  }, [drop, hide])
  useEffect(() => {
    const shortcuts = new Shortcuts()
    const onKey = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : undefined
      const { key, ctrlKey, metaKey, altKey } = event
      const shortcut = shortcuts.read({
        ...{ key, ctrlKey, metaKey, altKey },
        inText: target?.closest('input, textarea, select, [contenteditable=true]') != null,
        inTerminal: target?.closest('.xterm') != null,
      })
      if (shortcut === undefined) return
      event.preventDefault()
      if (shortcut === 'fleet') void navigate({ to: '/instances' })
      else if (shortcut === 'events') void navigate({ to: '/events' })
      else if (shortcut === 'search') search()
      else setShown(shortcut)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [navigate, search])
  return (
    <>
      <Button
        variant="default"
        size="xs"
        fw={400}
        px={8}
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
      <Suspense fallback={shown === 'search' && <WhileLoading begin={collect} />}>
        {shown === 'search' && <Palette close={close} collectKeys={collect} takeText={takeText} />}
        {shown === 'help' && <KeyboardHelp close={close} />}
      </Suspense>
    </>
  )
}

/** A Suspense fallback that does something while it is shown. @param begin called when it is mounted; returns what ends it */
function WhileLoading({ begin }: { readonly begin: () => () => void }) {
  useLayoutEffect(begin, [begin])
  return null
}
