import { useCallback, useEffect, useRef } from 'react'
import { KeyBuffer } from './key-buffer.js'

/** Collects the text that is typed after the key that opens a field and before the field has the focus. */
export interface FieldKeys {
  /** Begins a buffer. Keys count while the focus stays where it is now. */
  readonly begin: () => void
  /** Collects keys into the buffer. @returns stops it */
  readonly collect: () => () => void
  /** The text that was typed. The field takes all further keys itself. */
  readonly takeText: () => string
  /** Drops the buffer. */
  readonly drop: () => void
}

/** @param cancel called on Escape while keys are collected */
export function useKeyBuffer(cancel: () => void): FieldKeys {
  const current = useRef<{ readonly buffer: KeyBuffer; readonly focused: Element | null }>(undefined)
  const isCollecting = useRef(false)
  const begin = useCallback(() => {
    current.current ??= { buffer: new KeyBuffer(), focused: document.activeElement }
  }, [])
  const collect = useCallback(() => {
    isCollecting.current = true
    return () => {
      isCollecting.current = false
    }
  }, [])
  const takeText = useCallback(() => current.current?.buffer.takeText() ?? '', [])
  const drop = useCallback(() => {
    current.current = undefined
  }, [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isCollecting.current || !current.current) return
      // The focus moved to another element, which gets the keys.
      if (document.activeElement !== current.current.focused) return
      if (event.key === 'Escape') {
        current.current = undefined
        cancel()
      } else if (!event.isComposing && current.current.buffer.add(event)) {
        event.preventDefault()
        event.stopPropagation()
      }
    }
    document.addEventListener('keydown', onKey, { capture: true })
    return () => document.removeEventListener('keydown', onKey, { capture: true })
  }, [cancel])
  return { begin, collect, takeText, drop }
}
