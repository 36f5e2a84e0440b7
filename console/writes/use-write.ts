import { useAction } from './use-action.js'

/** Writes that buttons begin, one at a time: what is to be done, and what follows when it is. */
export const useWrite = () =>
  useAction(async (write: () => Promise<unknown>, then?: () => void) => {
    await write()
    then?.()
  })
