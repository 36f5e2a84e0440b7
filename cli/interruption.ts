import { constants } from 'node:os'

/** The part of `process` that this needs. */
export interface Signalled {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  exit(code: number): void
}

/** Ctrl-C, a supervisor's request to stop, and the terminal that was closed. */
const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * A signal that aborts when the process is first told to stop, for an orderly end. The second time ends the process at
 * once, with 128 + the signal's number as shells expect: for people who do not want to wait, and for parts that hang.
 */
export function interruption(process: Signalled): AbortSignal {
  const controller = new AbortController()
  for (const name of names)
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name])
      else controller.abort(new Error(`interrupted by ${name}`))
    })
  return controller.signal
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
