/** What the address of a log says. */
export interface LogSearch {
  readonly cluster?: string
  readonly container?: string
  readonly find?: string
  /** Only rows with the text in them. */
  readonly only?: true
  readonly previous?: true
  /** `false`: only the lines that are there. */
  readonly follow?: false
  /** Lines of each container; 0: all that are kept. */
  readonly tail?: number
}

/** Lines of each container that are read unless the address says another number. */
export const TAIL = 200

/** Reads it from an address, which anyone may have typed. */
export const logSearch = (search: Record<string, unknown>): LogSearch => {
  const { cluster, container, find, only, previous, follow, tail } = search
  return {
    ...(isText(cluster) && { cluster }),
    ...(isText(container) && { container }),
    ...(isText(find) && { find }),
    ...(only === true && { only }),
    ...(previous === true && { previous }),
    ...(follow === false && { follow }),
    ...(Number.isInteger(tail) && (tail as number) >= 0 && tail !== TAIL && { tail: tail as number }),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
