import { type ListSearch, listSearch } from '../tables/list-search.js'

/** The search parameters of an instance's events. */
export interface EventSearch extends ListSearch {
  /** A member cluster; absent: the control plane. */
  readonly cluster?: string
  readonly kind?: string
  readonly warnings?: true
}

/** The search parameters of the fleet's events. */
export interface FleetEventSearch {
  readonly instance?: string
  readonly members?: true
  readonly warnings?: true
  readonly find?: string
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Reads it from an address, which anyone may have typed. */
export const eventSearch = (search: Record<string, unknown>): EventSearch => ({
  ...listSearch(search),
  ...(isText(search.cluster) && { cluster: search.cluster }),
  ...(isText(search.kind) && { kind: search.kind }),
  ...(search.warnings === true && { warnings: true }),
})

/** Reads it from an address, which anyone may have typed. */
export const fleetEventSearch = ({
  instance,
  members,
  warnings,
  find,
}: Record<string, unknown>): FleetEventSearch => ({
  ...(isText(instance) && { instance }),
  ...(members === true && { members }),
  ...(warnings === true && { warnings }),
  ...(isText(find) && { find }),
})
