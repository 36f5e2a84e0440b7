/** The fields of a question, in the form's order. */
export const checkFields = ['verb', 'resource', 'namespace', 'name', 'cluster', 'user', 'groups'] as const

/** The search parameters of a question. */
export type CheckSearch = Readonly<Partial<Record<(typeof checkFields)[number], string>>> & {
  readonly ask?: 'explain' | 'who'
}

/** Reads search parameters of an address, which anybody may have typed. */
export function checkSearch(search: Record<string, unknown>): CheckSearch {
  const typed = checkFields.flatMap(field => {
    const text = search[field]
    return typeof text === 'string' && text !== '' ? [[field, text]] : []
  })
  const { ask } = search
  const read: CheckSearch = Object.fromEntries(typed)
  return read.verb && read.resource && (ask === 'explain' || ask === 'who') ? { ...read, ask } : read
}

/** The question as a request: `deployments.apps/scale` is the resource `deployments/scale` of the group `apps`. */
export function questionOf({ verb = '', resource = '', groups = '', ask: _, ...rest }: CheckSearch) {
  const [, plural = '', group = '', subresource = ''] = /^([^./]+)(?:\.([^/]+))?(\/.+)?$/.exec(resource) ?? []
  return {
    ...rest,
    verb,
    group,
    resource: plural + subresource,
    groups: groups.split(/[\s,]+/).filter(Boolean),
  }
}
