import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Problem } from '../failures/problem.js'

/** In place of a screen that could not be drawn or loaded. What is around it stays, and texts that were written are kept as drafts. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <Problem
      error={error instanceof Error ? error : new Error(String(error))}
      retry={() => {
        reset()
        void router.invalidate()
      }}
    />
  )
}
