import { createHash } from 'node:crypto'
import { didYouMean } from '../arguments/did-you-mean.js'
import { splitOnce } from '../arguments/split-once.js'
import { CommandError, ExitCode } from '../exit-code.js'

const ROLES = ['Admin', 'Editor', 'Viewer'] as const
/** What a person types before the slash, and the kind of subject that it is. */
const SUBJECTS = { user: 'User', group: 'Group', serviceaccount: 'ServiceAccount' } as const
const PLACES = ['instance', 'workspace'] as const
const EXAMPLE = 'give-role Editor group/dev instance/eu-west'

/** A subject as a role binding has it. */
interface GivenSubject {
  readonly kind: (typeof SUBJECTS)[keyof typeof SUBJECTS]
  readonly name: string
  /** Of a service account. */
  readonly namespace: string
}

/** Which role is given to whom, and where. */
export interface RoleArgument {
  readonly role: (typeof ROLES)[number]
  readonly subjects: readonly GivenSubject[]
  readonly place: { readonly kind: (typeof PLACES)[number]; readonly name: string }
}

/**
 * Reads `Editor group/dev user/ann instance/eu-west` and `viewer serviceaccount/ci/deployer workspace/shop`.
 * @throws CommandError for a role that there is not, and for words that name nobody, or not one place
 */
export function roleArgument([given = '', ...words]: readonly string[]): RoleArgument {
  const role = ROLES.find(one => one.toLowerCase() === given.toLowerCase())
  if (!role)
    throw usage(
      `${JSON.stringify(given)} is no role${didYouMean(given, ROLES)}: it is one of ${ROLES.join(', ')}`,
    )
  const subjects: GivenSubject[] = []
  const places: RoleArgument['place'][] = []
  for (const word of words) {
    const [kind, name] = splitOnce(word)
    const place = PLACES.find(one => one === kind)
    if (place && name !== '') places.push({ kind: place, name })
    else subjects.push(subjectOf(word, kind, name))
  }
  if (subjects.length === 0) throw usage(`say who gets the role: ${EXAMPLE}`)
  const [place, ...more] = places
  if (!place || more.length > 0)
    throw usage(`a role is on one instance/NAME or one workspace/NAME, and ${places.length} are given`)
  return { role, subjects, place }
}

function subjectOf(word: string, kind: string, rest: string): GivenSubject {
  const found = Object.hasOwn(SUBJECTS, kind) ? SUBJECTS[kind as keyof typeof SUBJECTS] : undefined
  if (!found || rest === '')
    throw usage(
      `${JSON.stringify(word)} names nobody: give user/NAME, group/NAME or serviceaccount/NAMESPACE/NAME, and instance/NAME or workspace/NAME`,
    )
  if (found !== 'ServiceAccount') return { kind: found, name: rest, namespace: '' }
  const [namespace, name] = splitOnce(rest)
  if (namespace === '' || name === '' || name.includes('/'))
    throw usage(`${JSON.stringify(word)}: a service account has a namespace: serviceaccount/NAMESPACE/NAME`)
  return { kind: found, name, namespace }
}

/**
 * What a role binding is called that was given no name. The same words make the same name, whatever their order: the host refuses a role that
 * is given twice.
 */
export function bindingName({ role, subjects, place }: RoleArgument, namespaces: readonly string[]): string {
  const whom = subjects.map(({ kind, namespace, name }) => JSON.stringify([kind, namespace, name])).sort()
  const all = JSON.stringify([role, place.kind, place.name, [...namespaces].sort(), whom])
  const [first] = [...subjects].sort((one, other) => (one.name < other.name ? -1 : 1))
  const spoken = `${place.name}-${role}-${first?.name}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const start = spoken.slice(0, 48).replace(/^-+|-+$/g, '')
  return `${start}-${createHash('sha256').update(all).digest('hex').slice(0, 10)}`
}

const usage = (message: string): CommandError => new CommandError(message, ExitCode.usage)
