/** The search parameters of a log. */
export interface LogSearch {
  readonly cluster?: string
  readonly container?: string
  readonly find?: string
  /** Only rows that contain `find`. */
  readonly only?: true
  readonly previous?: true
  /** `false`: only existing lines. */
  readonly follow?: false
  /** Lines of each container; 0: all that the nodes keep. */
  readonly tail?: number
}

/** The default of `tail`. */
export const TAIL = 200

/** Reads search parameters of an address, which anybody may have typed. */
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
