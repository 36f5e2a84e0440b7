import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Problem } from '../failures/problem.js'

/** Shown in place of a screen that could not be rendered or loaded. The frame stays; unsaved text was kept as drafts. */
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
