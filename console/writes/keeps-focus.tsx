import { Box, type BoxProps } from '@mantine/core'
import { type ReactNode, useLayoutEffect, useRef } from 'react'

/**
 * Keeps the keyboard's place where one step is replaced by the next. Browsers give the focus of an element that goes away to the page, from whose
 * beginning its reader would have to come back; here the group gets it, so that its name is read out and Tab leads into the new step. It goes to no
 * button: a second Enter, pressed too early, would do what nobody has read.
 */
export function KeepsFocus({
  step,
  label,
  children,
  ...props
}: BoxProps & {
  /** Differs by `===` where what is inside was replaced. */
  readonly step: unknown
  /** What the group is called. */
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
        // An element that goes away gives the focus to nobody; one that its reader left gives it to another.
        if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget))
          hadFocus.current = false
      }}
    >
      {children}
    </Box>
  )
}
