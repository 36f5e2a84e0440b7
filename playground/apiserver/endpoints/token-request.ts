import { type JsonObject, listAt, objectAt, stringAt } from '../../apimachinery/json.js'
import { timestamp } from '../../objects/timestamp.js'
import { ISSUER } from '../access/tokens.js'
import { badRequest, customStatus, notFound } from '../api-status.js'
import { keyOf, type Target } from '../operations/target.js'

/** Kubernetes accepts 10 minutes to 2^32 seconds, and gives an hour by default. */
const SECONDS = { least: 600, usual: 3600, most: 2 ** 32 } as const

/** `serviceaccounts/{name}/token`: a bearer token for the account, bound to an object if the request says so. */
export async function createToken(target: Target, body: JsonObject): Promise<JsonObject> {
  const { cluster, namespace, name } = target
  const account = target.collection.get(keyOf(namespace, name))
  if (!account) throw notFound(target.qualified, name)
  const spec = objectAt(body, 'spec')
  const seconds = Number(spec.expirationSeconds ?? SECONDS.usual)
  if (!(seconds >= SECONDS.least)) tooShort(seconds, 'may not specify a duration less than 10 minutes')
  if (seconds > SECONDS.most) tooShort(seconds, 'may not specify a duration larger than 2^32 seconds')
  const audiences = listAt(spec, 'audiences').map(String)
  const bound = boundObject(target, objectAt(spec, 'boundObjectRef'))
  const claims = { namespace, account: { name, uid: account.uid }, ...(bound ? { bound } : {}) }
  const token = await cluster.tokens.issueAccount(claims, audiences, seconds)
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: timestamp(cluster.now()) },
    spec: {
      ...spec,
      audiences: audiences.length > 0 ? audiences : [ISSUER],
      expirationSeconds: seconds,
      boundObjectRef: bound ? objectAt(spec, 'boundObjectRef') : null,
    },
    status: { token, expirationTimestamp: timestamp(cluster.now() + seconds * 1000) },
  }
}

function tooShort(seconds: number, detail: string): never {
  const message = `Invalid value: ${seconds}: ${detail}`
  throw customStatus(
    422,
    'Invalid',
    `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: ${message}`,
    {
      group: 'authentication.k8s.io',
      kind: 'TokenRequest',
      causes: [{ reason: 'FieldValueInvalid', message, field: 'spec.expirationSeconds' }],
    },
  )
}

/** Pods, Secrets and Nodes: the token dies with them. */
function boundObject({ cluster, namespace }: Target, reference: JsonObject) {
  const kind = stringAt(reference, 'kind')
  if (kind === '') return undefined
  if (kind !== 'Pod' && kind !== 'Secret' && kind !== 'Node') {
    throw badRequest(`cannot bind token for serviceaccount to object of type ${kind}`)
  }
  const name = stringAt(reference, 'name')
  const plural = `${kind.toLowerCase()}s`
  const object = cluster.collection(plural).get(keyOf(kind === 'Node' ? '' : namespace, name))
  if (!object) throw notFound({ group: '', resource: plural }, name)
  const uid = stringAt(reference, 'uid')
  if (uid !== '' && uid !== object.uid) {
    throw customStatus(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${plural} "${name}": the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      { name, kind: plural },
    )
  }
  return { kind, name, uid: object.uid }
}
