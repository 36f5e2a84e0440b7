import { constants } from 'node:os'

/** The part of `process` that this needs. */
export interface Signalled {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  exit(code: number): void
}

/** `process.stdout` or `process.stderr`, as far as this needs them. */
export interface Output {
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** Ctrl-C, a supervisor's request to stop, and the terminal that was closed. */
const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * A signal that aborts at the first signal, for an orderly end. The second signal ends the process at
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

/** The exit code of a program whose output was closed, as shells report it: 128 + SIGPIPE. */
export const CLOSED_OUTPUT = 128 + constants.signals.SIGPIPE

/**
 * Calls `closed` once when the reader of an output has gone (`kairship get instances | head -1`). Node ignores SIGPIPE, and
 * what is written then is an error event, which would end the process with a stack.
 */
export function onClosedOutput(outputs: readonly Output[], closed: () => void): void {
  let isClosed = false
  for (const output of outputs)
    output.on('error', error => {
      if (!('code' in error && error.code === 'EPIPE')) throw error
      if (!isClosed) closed()
      isClosed = true
    })
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
