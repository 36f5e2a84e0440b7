/**
 * Control planes that are one process and one listener: each is a path, with an identity and stored objects of its own, and all give the
 * recorded answers of one. A process of its own for each few thousand, because their connections count as open files.
 */
import { randomUUID } from 'node:crypto'
import { kubeConnector } from '../../actors/kube/connector.js'
import { createAuthority } from '../../playground/apiserver/access/certificates.js'
import { kubeconfigFor } from '../../playground/apiserver/access/kubeconfig.js'
import { IMPERSONATOR_TOKEN, TOKEN_ANSWER } from '../proxy/impersonator.js'
import { listen, type StandInAnswer, type StandInRequest } from './listener.js'
import { RecordedAnswers } from './recorded.js'
import { StoredObjects } from './stored-objects.js'

/** What this process is told first, once. */
export interface ControlPlanesOrder {
  readonly names: readonly string[]
  /** Of the control plane whose answers are given. */
  readonly recorded: string
}

/** What it tells when it listens: the kubeconfig of each control plane. */
export interface ControlPlanesUp {
  readonly kubeconfigs: Readonly<Record<string, string>>
}

/** The identity of a control plane: Kairship takes two with the same one for the same. */
const IDENTITY = '/api/v1/namespaces/kube-system'
/** What Kairship writes inside is kept and listed; everything else that it reads is recorded. */
const WRITTEN = /^\/apis\/rbac\.authorization\.k8s\.io\/|\/configmaps\/kairship-/

class ControlPlane {
  readonly #written = new StoredObjects()
  readonly #uid = randomUUID()

  constructor(private readonly recorded: RecordedAnswers) {}

  async answer(request: StandInRequest): Promise<StandInAnswer> {
    if (request.path === IMPERSONATOR_TOKEN) return { code: 201, text: TOKEN_ANSWER }
    if (request.method !== 'GET' || WRITTEN.test(request.path)) return this.#written.answer(request)
    const answer = await this.recorded.answer(request)
    if (request.path !== IDENTITY || 'watch' in answer) return answer
    const home = JSON.parse(answer.text)
    return { ...answer, text: JSON.stringify({ ...home, metadata: { ...home.metadata, uid: this.#uid } }) }
  }
}

async function serve({ names, recorded }: ControlPlanesOrder): Promise<ControlPlanesUp> {
  const answers = new RecordedAnswers(await kubeConnector().connect(recorded))
  const planes = new Map(names.map(name => [name, new ControlPlane(answers)]))
  const authority = createAuthority('stand-in')
  const port = await listen(authority, request => {
    const [, name = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(request.path) ?? []
    const plane = planes.get(name)
    return plane ? plane.answer({ ...request, path }) : { code: 404, text: 'no such control plane' }
  })
  const clientCertificate = authority.issueClient({ name: 'kairship', groups: ['system:masters'] })
  const kubeconfigs = names.map(name => {
    const server = `https://127.0.0.1:${port}/${name}`
    const cluster = { name, server, certificateAuthority: authority.certificate }
    return [name, kubeconfigFor(cluster, 'kairship', { clientCertificate })] as const
  })
  return { kubeconfigs: Object.fromEntries(kubeconfigs) }
}

// Whoever started it has ended.
process.once('disconnect', () => process.exit())
process.once('message', message => {
  serve(message as ControlPlanesOrder).then(
    up => process.send?.(up),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    },
  )
})
