/** What a registry wants of a caller that it does not know: the WWW-Authenticate header of its 401. */
export type Challenge =
  | { readonly scheme: 'basic' }
  | {
      readonly scheme: 'bearer'
      readonly realm: string
      readonly service?: string
      readonly scope?: string
    }

/** Characters of a header that is read. */
const LONGEST = 4_096
const PARAMETER = /([A-Za-z]+)="([^"\\]*)"/g

/** The first challenge that Kairship can answer; undefined where there is none. */
export function challengeOf(header: string | string[] | undefined): Challenge | undefined {
  for (const text of [header ?? []].flat()) {
    if (text.length > LONGEST) continue
    const [, scheme = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(text) ?? []
    if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' }
    if (scheme.toLowerCase() !== 'bearer') continue
    const found = new Map(
      [...rest.matchAll(PARAMETER)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
    )
    const [realm, service, scope] = ['realm', 'service', 'scope'].map(name => found.get(name))
    if (realm) return { scheme: 'bearer', realm, ...(service && { service }), ...(scope && { scope }) }
  }
  return undefined
}
