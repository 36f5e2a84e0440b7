/** What is asked, in the order of the form. */
export const checkFields = ['verb', 'resource', 'namespace', 'name', 'cluster', 'user', 'groups'] as const

/** What the address of a question says. */
export type CheckSearch = Readonly<Partial<Record<(typeof checkFields)[number], string>>> & {
  readonly ask?: 'explain' | 'who'
}

/** Reads it from an address, which anyone may have typed. */
export function checkSearch(search: Record<string, unknown>): CheckSearch {
  const typed = checkFields.flatMap(field => {
    const text = search[field]
    return typeof text === 'string' && text !== '' ? [[field, text]] : []
  })
  const { ask } = search
  const read: CheckSearch = Object.fromEntries(typed)
  return read.verb && read.resource && (ask === 'explain' || ask === 'who') ? { ...read, ask } : read
}

/** The question as the server wants it: `deployments.apps/scale` is the resource `deployments/scale` of the group `apps`. */
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
