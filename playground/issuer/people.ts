/** A user of the playground's issuer. */
export interface Person {
  /** What they type, and the `sub` of their tokens. */
  readonly name: string
  readonly groups: readonly string[]
  /** What that lets them do, for the page on which they sign in. */
  readonly says: string
}

/** Put before the names of the issuer's users and groups, so that they are never those of another. */
export const NAME_PREFIX = 'playground:'

/** Everyone who can sign in: one for each role, and one without any. */
export const ISSUER_PEOPLE: readonly Person[] = [
  { name: 'ada', groups: ['admins'], says: 'Admin on every instance' },
  { name: 'emil', groups: ['editors'], says: 'Editor on every instance' },
  { name: 'vera', groups: ['viewers'], says: 'Viewer on every instance' },
  { name: 'nils', groups: [], says: 'no role at all' },
]
