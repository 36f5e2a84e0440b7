import { Box, type BoxProps } from '@mantine/core'
import { type ReactNode, useLayoutEffect, useRef } from 'react'

/**
 * Keeps the keyboard focus near when one step of a form replaces another. Browsers move the focus of a removed element to the page, and Tab then
 * starts at its beginning. Here the group takes the focus: screen readers read its name, and Tab leads into the new step. No button takes it, because
 * Enter pressed twice would confirm an unread step.
 */
export function KeepsFocus({
  step,
  label,
  children,
  ...props
}: BoxProps & {
  /** Another value, by `===`, for each step. */
  readonly step: unknown
  /** The accessible name of the group. */
  readonly label: string
  readonly children: ReactNode
}) {
  const group = useRef<HTMLDivElement>(null)
  const hadFocus = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each step
  useLayoutEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (hadFocus.current && isLost) group.current?.focus({ preventScroll: true })
  }, [step])
  return (
    <Box
      {...props}
      ref={group}
      role="group"
      aria-label={label}
      tabIndex={-1}
      onFocus={() => {
        hadFocus.current = true
      }}
      onBlur={event => {
        // `relatedTarget` is null when the focused element was removed. Otherwise the user moved the focus.
        if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget))
          hadFocus.current = false
      }}
    >
      {children}
    </Box>
  )
}
