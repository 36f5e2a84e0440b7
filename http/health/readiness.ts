import type { Fleet } from '../../ports/fleet.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { ServiceAccounts } from '../../ports/service-accounts.js'
import { AnswerCache } from '../identity/answer-cache.js'
import { DEFAULT_HOST_GRACE_MS } from '../identity/host-grace.js'

/** One condition for being ready: undefined when it holds, else the problem in words. */
export interface Check {
  readonly name: string
  readonly problem: () => Promise<string | undefined>
}

/** The answer to `/readyz`, in kube-apiserver's form: one line for each check. */
export interface Readiness {
  readonly ready: boolean
  readonly text: string
}

/** Runs every check. `notes` are shown and decide nothing. */
export async function readiness(checks: readonly Check[], notes: readonly string[] = []): Promise<Readiness> {
  const answers = await Promise.all(
    checks.map(async ({ name, problem }) => ({ name, wrong: await problem().catch(String) })),
  )
  const ready = answers.every(({ wrong }) => wrong === undefined)
  const lines = answers.map(({ name, wrong }) =>
    wrong === undefined ? `[+]${name} ok` : `[-]${name} failed: ${wrong}`,
  )
  const last = ready ? 'readyz check passed' : 'readyz check failed'
  return { ready, text: [...lines, ...notes.map(note => `[i]${note}`), last, ''].join('\n') }
}

/** How long an answer of the host counts, milliseconds: the probes of several kubelets must not become its load. */
const HOST_SEEN_MS = 2_000
const HOST_TIMEOUT_MS = 2_000

/** Ready: the instances, the role bindings and the access locks were read, and the host, which authenticates and authorizes all callers, answers. */
export function readyChecks({
  fleet,
  host,
  hostGraceMs = DEFAULT_HOST_GRACE_MS,
  now = () => performance.now(),
}: {
  readonly fleet: Fleet
  readonly host: KubeApi
  readonly hostGraceMs?: number | undefined
  readonly now?: () => number
}): readonly Check[] {
  const cache = new AnswerCache<string | undefined>({ capacity: 1, now })
  let answeredAt: number | undefined
  const checkHost = async () => {
    try {
      await host.request({ method: 'GET', path: '/readyz', timeoutMs: HOST_TIMEOUT_MS })
      answeredAt = now()
      return { value: undefined, ttlMs: HOST_SEEN_MS }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return { value: `${problem}; ${lastKnown(answeredAt, now(), hostGraceMs)}`, ttlMs: HOST_SEEN_MS }
    }
  }
  return [
    {
      name: 'fleet',
      problem: async () => (fleet.synced ? undefined : 'the instances have not been read from the host yet'),
    },
    {
      name: 'role-bindings',
      problem: async () => {
        const { synced, unread, silentForMs } = fleet.roleBindings
        if (!synced) return `not read from the host yet: ${unread.join(', ')}`
        return silentForMs > hostGraceMs
          ? `not read from the host for ${Math.round(silentForMs / 1_000)} s: roles give nothing until they are`
          : undefined
      },
    },
    {
      name: 'access-locks',
      problem: async () =>
        fleet.accessLocks.synced ? undefined : 'the access locks have not been read from the host yet',
    },
    { name: 'host', problem: async () => cache.get('host', checkHost) },
  ]
}

/** The locks that are not applied, for people who read `/readyz`. */
export const ignoredLockNotes = ({ accessLocks }: Fleet): readonly string[] =>
  accessLocks
    .ignored()
    .map(name => `access lock ${JSON.stringify(name)} is not applied: its spec names nobody`)

/**
 * The reviews that the host does not answer while it answers all else, for people who read `/readyz`. The replica is ready: callers of issuers, and
 * those who have a client certificate, go on, and a replica that is taken out helps nobody.
 */
export const unansweredReviewsNotes = (problems: readonly string[]): readonly string[] =>
  problems.map(problem => `${problem}; whom it has to be asked about is refused`)

/** What is different where the ServiceAccounts of the host cannot be watched, for people who read `/readyz`. */
export const unwatchedAccountsNotes = (accounts: ServiceAccounts | undefined): readonly string[] =>
  accounts?.problem === undefined
    ? []
    : [
        `service accounts are not watched, so what a deleted one has open ends only when the host refuses its token: ${accounts.problem}`,
      ]

/** What becomes of callers while the host does not answer. */
function lastKnown(answeredAt: number | undefined, now: number, graceMs: number): string {
  const leftMs = answeredAt === undefined ? 0 : answeredAt + graceMs - now
  return leftMs > 0
    ? `what it last said of tokens and rights counts for another ${Math.ceil(leftMs / 1_000)} s at most`
    : 'tokens and rights that only it knows are refused'
}

/** The leader, for people who read `/readyz`. Followers are ready too: they answer reads. */
export function leadershipNote(fleet: Fleet): string {
  const { leading, holder } = fleet.leadership()
  return holder === undefined
    ? 'lease without a holder'
    : `lease held by ${holder}${leading ? ' (this replica)' : ''}`
}
