import { useAction } from './use-action.js'

/** Runs writes of buttons, one at a time, and a callback after success. */
export const useWrite = () =>
  useAction(async (write: () => Promise<unknown>, done?: () => void) => {
    await write()
    done?.()
  })
