import { isObject, type JsonObject, listAt, objectAt, stringAt } from '../../apimachinery/json.js'
import { timestamp } from '../../objects/timestamp.js'
import type { Authenticator } from '../access/authenticator.js'
import type { Attributes, Authorizer, PolicyRule } from '../access/authorizer.js'
import { ISSUER } from '../access/tokens.js'
import type { User } from '../access/user.js'
import { badRequest, customStatus } from '../api-status.js'
import type { Cluster } from '../cluster.js'

/** What reviews need to know. */
export interface ReviewContext {
  readonly cluster: Cluster
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly user: User
  /** Of the URL; '' for cluster-scoped reviews. */
  readonly namespace: string
}

type Review = (context: ReviewContext, body: JsonObject) => Promise<JsonObject>

/** Questions that are asked by creating an object: nothing is stored, the answer is the object with its status. */
export const REVIEWS: Readonly<Record<string, Review>> = {
  async 'tokenreviews.authentication.k8s.io'({ authenticator }, body) {
    const spec = objectAt(body, 'spec')
    const token = stringAt(spec, 'token')
    if (token === '') throw badRequest('token is required for TokenReview in authentication')
    const wanted = listAt(spec, 'audiences').map(String)
    const proven = await authenticator.token(token)
    if (!proven) return { ...body, status: { user: {}, error: 'invalid bearer token' } }
    const requested = wanted.length > 0 ? wanted : [ISSUER]
    const audiences = requested.filter(one => proven.audiences.includes(one))
    if (audiences.length === 0) {
      const list = (all: readonly string[]) => `[${all.map(one => JSON.stringify(one)).join(' ')}]`
      const error = `token audiences ${list(proven.audiences)} is invalid for the target audiences ${list(requested)}`
      return { ...body, status: { user: {}, error } }
    }
    return { ...body, status: { authenticated: true, user: userInfo(proven.user), audiences } }
  },

  async 'selfsubjectreviews.authentication.k8s.io'({ cluster, user }, body) {
    const metadata = { ...objectAt(body, 'metadata'), creationTimestamp: timestamp(cluster.now()) }
    return { ...body, metadata, status: { userInfo: userInfo(user) } }
  },

  async 'selfsubjectaccessreviews.authorization.k8s.io'(context, body) {
    return {
      ...body,
      status: decide(context, context.user, objectAt(body, 'spec'), 'SelfSubjectAccessReview'),
    }
  },

  async 'subjectaccessreviews.authorization.k8s.io'(context, body) {
    const spec = objectAt(body, 'spec')
    return {
      ...body,
      status: decide(context, subject(spec, 'SubjectAccessReview'), spec, 'SubjectAccessReview'),
    }
  },

  async 'localsubjectaccessreviews.authorization.k8s.io'(context, body) {
    const spec = objectAt(body, 'spec')
    const namespace = stringAt(spec, 'resourceAttributes', 'namespace')
    if (namespace !== context.namespace) {
      invalid(
        'LocalSubjectAccessReview',
        'spec.resourceAttributes.namespace',
        `Invalid value: ${JSON.stringify(namespace)}: must match metadata.namespace`,
      )
    }
    const kind = 'LocalSubjectAccessReview'
    return { ...body, status: decide(context, subject(spec, kind), spec, kind) }
  },

  async 'selfsubjectrulesreviews.authorization.k8s.io'({ authorizer, user }, body) {
    const namespace = stringAt(body, 'spec', 'namespace')
    if (namespace === '') throw badRequest('no namespace on request')
    const rules = authorizer.rulesOf(user, namespace)
    return {
      ...body,
      status: {
        resourceRules: rules.filter(rule => rule.resources.length > 0).map(resourceRule),
        nonResourceRules: rules
          .filter(rule => rule.nonResourceURLs.length > 0)
          .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
        incomplete: false,
      },
    }
  },
}

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: PolicyRule): JsonObject => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames.length === 0 ? {} : { resourceNames }),
})

/** authentication/v1 UserInfo */
const userInfo = ({ name, uid, groups, extra }: User): JsonObject => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(Object.keys(extra).length === 0 ? {} : { extra: extra as JsonObject }),
})

function subject(spec: JsonObject, kind: string): User {
  const name = stringAt(spec, 'user')
  const groups = listAt(spec, 'groups').map(String)
  if (name === '' && groups.length === 0) {
    invalid(kind, 'spec.user', `Invalid value: "": at least one of user or group must be specified`)
  }
  const extra = Object.fromEntries(
    Object.entries(objectAt(spec, 'extra')).map(([key, values]) => [
      key.toLowerCase(),
      [values].flat().map(String),
    ]),
  )
  return { name, groups, extra }
}

function decide({ authorizer }: ReviewContext, user: User, spec: JsonObject, kind: string): JsonObject {
  const resource = spec.resourceAttributes
  const path = spec.nonResourceAttributes
  if (isObject(resource) === isObject(path)) {
    invalid(
      kind,
      'spec.resourceAttributes',
      isObject(path)
        ? 'Invalid value: "": cannot be specified in combination with nonResourceAttributes'
        : 'Invalid value: "": exactly one of nonResourceAttributes or resourceAttributes must be specified',
    )
  }
  const attributes: Attributes = {
    user,
    isResourceRequest: isObject(resource),
    verb: stringAt(isObject(resource) ? resource : path, 'verb'),
    group: stringAt(resource, 'group'),
    version: stringAt(resource, 'version'),
    resource: stringAt(resource, 'resource'),
    subresource: stringAt(resource, 'subresource'),
    namespace: stringAt(resource, 'namespace'),
    name: stringAt(resource, 'name'),
    path: stringAt(path, 'path'),
  }
  const { allowed, reason } = authorizer.authorize(attributes)
  return { allowed, ...(reason === '' ? {} : { reason }) }
}

function invalid(kind: string, field: string, message: string): never {
  throw customStatus(422, 'Invalid', `${kind}.authorization.k8s.io "" is invalid: ${field}: ${message}`, {
    group: 'authorization.k8s.io',
    kind,
    causes: [{ reason: 'FieldValueInvalid', message, field }],
  })
}
