import { startMember } from '../../../playground/member/member.js'
import type { Contract } from '../../proto/sample.js'
import { silent } from '../../silent.js'
import { type Exchange, idOf } from './calls.js'
import { Finder } from './finder.js'
import { PLANTED, plant, plantInMember } from './planted.js'
import { type Processes, startProcesses } from './processes.js'
import { operations } from './requests.js'
import { newCanary } from './secret-values.js'
import { Story } from './story.js'
import { Trouble } from './trouble.js'

/** What may answer with secrets, and why. None of it may be written to a log, a metric or an audit record. */
const ASKED_FOR: Readonly<Record<string, string>> = {
  Core_GetSecret: 'names one Secret, and shows its values',
  Core_GetSecretJSON: 'names one Secret, and shows it whole',
  Core_CreateSecret: 'answers with the Secret that was sent',
  Core_UpdateSecret: 'answers with the Secret that was sent',
  Core_PatchSecret: 'names one Secret, and answers with it whole',
  Instance_CreateInstanceAdminKubeConfig: 'issues a kubeconfig, which is the answer',
  Instance_CreateInstanceScopedKubeConfig: 'issues a kubeconfig, which is the answer',
  Instance_CreateInstanceToken: 'issues a token, which is the answer',
}
/** Their answers hold secrets that no cluster keeps. */
const ISSUED: ReadonlySet<string> = new Set(
  Object.keys(ASKED_FOR).filter(id => /(KubeConfig|InstanceToken)$/.test(id)),
)
/** The proxy passes on what the control plane answers: it is in no place to know what of it is secret. */
const PASSED_ON = 'proxy'

/** What was found, and how much was looked through. */
export interface Secrecy {
  /** Where which secrets are that should not be there, and what was not tried. */
  readonly problems: readonly string[]
  readonly secrets: number
  readonly answers: number
}

/**
 * Plants secrets in everything that holds some, calls every operation, and looks for the secrets in all answers, logs, audit records,
 * metrics, and statuses. It fails also where an operation did not answer, or where a planted leak is not found.
 */
export async function checkSecrecy(contract: Contract): Promise<Secrecy> {
  const world = await startProcesses()
  const fresh = await startMember({ name: 'fresh', log: silent })
  try {
    const { scenario, calls, kept, instance, member } = world
    const { playground } = scenario
    const karmada = playground.karmadas.get(instance)!.server.local
    await plant(karmada, member)
    await plantInMember(playground.members.get(member)!.server.local)
    kept.follow(fresh.server)
    const kubeconfig = await fresh.server.kubeconfig({ name: 'root', groups: ['system:masters'] })
    kept.add(kubeconfig, 'the kubeconfig of a cluster to join')
    const story = new Story(world)
    await story.contract(contract, kubeconfig)
    await story.reads()
    await story.writes()
    const trouble = new Trouble(world)
    await trouble.proxied()
    await trouble.refusals()
    await trouble.broken()
    await trouble.away()
    for (const { id, ok, text } of calls.exchanges)
      if (ok && ISSUED.has(id)) kept.add(text, 'an issued kubeconfig')
    const finder = new Finder()
    for (const value of kept.values) finder.add(value)
    return {
      problems: [
        ...leaksOf(finder, calls.exchanges),
        ...(await writtenLeaks(finder, world)),
        ...untried(calls.exchanges),
        ...(await plantedLeak(world, finder)),
      ],
      secrets: new Set(kept.values.map(({ value }) => value)).size,
      answers: calls.exchanges.length,
    }
  } finally {
    await fresh.close()
    await world.close()
  }
}

/** Answers with secrets, each operation and secret once; and operations that may have some and never had. */
function leaksOf(finder: Finder, exchanges: readonly Exchange[]): readonly string[] {
  const leaks = new Set<string>()
  const used = new Set<string>()
  for (const { id, ok, headers, text } of exchanges) {
    const found = finder.search(`${headers}\n${text}`)
    if (found.length === 0 || id === PASSED_ON) continue
    if (ok && id in ASKED_FOR) used.add(id)
    else for (const of of found) leaks.add(`${id} ${ok ? 'answers' : 'refuses'} with a value of ${of}`)
  }
  const unused = Object.keys(ASKED_FOR).filter(id => !used.has(id))
  return [...leaks, ...unused.map(id => `${id} may answer with secrets, and never did`)]
}

/** What is wrong with what Kairship has written; each place must also have what shows that something was written there. */
async function writtenLeaks(finder: Finder, world: Processes): Promise<readonly string[]> {
  const places = [
    ['an audit event', world.written(), 'audit.k8s.io/v1'],
    ['a page of metrics or health', await world.pages(), 'kairship_api_requests_total'],
    ['a status, an event or another object on the host', await onTheHost(world), '"conditions"'],
  ] as const
  return places.flatMap(([place, text, mark]) => [
    ...finder.search(text).map(of => `${place} has a value of ${of}`),
    ...(text.includes(mark) ? [] : [`${place} was not found`]),
  ])
}

/** What others can read on the host. */
async function onTheHost({ scenario }: Processes): Promise<string> {
  const { local } = scenario.playground.host
  const texts: string[] = []
  for (const [group, resources] of [
    ['/apis/kairship.io/v1alpha1', ['instances', 'instanceregistrations', 'instancerolebindings']],
    ['/api/v1', ['events', 'configmaps']],
    ['/apis/operator.karmada.io/v1alpha1', ['karmadas']],
  ] as const)
    for (const resource of resources)
      texts.push(JSON.stringify(await local.request({ method: 'GET', path: `${group}/${resource}` })))
  return texts.join('\n')
}

/** Operations that never answered otherwise than with a refusal: what they answer was not looked at. */
function untried(exchanges: readonly Exchange[]): readonly string[] {
  const answered = new Set(exchanges.filter(({ ok }) => ok).map(({ id }) => id))
  return operations
    .map(idOf)
    .filter(id => !answered.has(id))
    .map(id => `${id} was never called so that it answers`)
}

/** Proves that a leak would be found: in an annotation that is shown. */
async function plantedLeak(
  { calls, scenario, instance }: Processes,
  finder: Finder,
): Promise<readonly string[]> {
  const canary = newCanary()
  const of = 'a leak'
  finder.add({ value: canary, of })
  const { karmadas, tokens } = scenario.playground
  const data = JSON.stringify({ data: Buffer.from(canary).toString('base64') })
  await karmadas.get(instance)!.server.local.request({
    method: 'PATCH',
    path: `/api/v1/namespaces/${PLANTED}/configmaps/${PLANTED}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { leak: data } } },
  })
  const path = `/apis/kairship.io/v1alpha1/instances/${instance}/configmaps`
  const listed = await calls.http('Core_ListInstanceConfigMaps', 'GET', path, tokens.admin)
  return finder.search(listed.text).includes(of) ? [] : ['a planted leak in an annotation was not found']
}
