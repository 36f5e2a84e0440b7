import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { type KubeObject, resourcePath } from '../../manifests/kube.js'
import { type ApiServer, startApiServer } from '../../playground/apiserver/server.js'

// biome-ignore lint/suspicious/noExplicitAny: YAML as it stands, read by tests only
type Yaml = any
const folder = resolve(import.meta.dirname, '../../manifests/install')
const objects: (KubeObject & Yaml)[] = readdirSync(folder).flatMap(file =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map(document => document.toJS()),
)
const ofKind = (kind: string) => objects.filter(object => object.kind === kind)

describe('the installed roles, evaluated as an API server evaluates them', () => {
  let server: ApiServer
  beforeAll(async () => {
    server = await startApiServer({ name: 'rbac' })
    const plurals: Record<string, string> = {
      ServiceAccount: 'serviceaccounts',
      ClusterRole: 'clusterroles',
      ClusterRoleBinding: 'clusterrolebindings',
      Role: 'roles',
      RoleBinding: 'rolebindings',
    }
    for (const object of [...ofKind('Namespace'), ...objects.filter(({ kind }) => kind in plurals)]) {
      const [group, version] = object.apiVersion.includes('/')
        ? object.apiVersion.split('/')
        : ['', object.apiVersion]
      const resource = plurals[object.kind as string] ?? 'namespaces'
      const namespace = object.metadata.namespace
      const path = resourcePath({ group, version, resource }, { ...(namespace && { namespace }) })
      await server.local.request({ method: 'POST', path, body: object })
    }
  })
  afterAll(() => server.close())

  async function may(account: string, verb: string, what: string, name?: string): Promise<boolean> {
    const [, resource, subresource, group, namespace] =
      /^([a-z]+)(?:\/([a-z]+))?(?:\.([a-z.0-9]+))?(?: in ([a-z-]+))?$/.exec(what) ?? []
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: `system:serviceaccount:kairship-system:${account}`,
        groups: ['system:serviceaccounts', 'system:authenticated'],
        resourceAttributes: { verb, resource, subresource, group: group ?? '', namespace, name },
      },
    }
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
    const { status } = await server.local.request<{ status: { allowed: boolean } }>({
      method: 'POST',
      path,
      body: review,
    })
    return status.allowed
  }

  const lease = 'kairship-controller-manager'
  const rows: [account: string, allowed: boolean, verb: string, what: string, name?: string][] = [
    ['kairship-controller-manager', true, 'watch', 'instances.kairship.io'],
    ['kairship-controller-manager', true, 'patch', 'instances.kairship.io', 'eu'],
    ['kairship-controller-manager', true, 'patch', 'instances/status.kairship.io', 'eu'],
    ['kairship-controller-manager', true, 'create', 'pediaclusters.cluster.clusterpedia.io'],
    ['kairship-controller-manager', true, 'watch', 'secrets in anywhere'],
    ['kairship-controller-manager', true, 'update', 'leases.coordination.k8s.io in kairship-system', lease],
    [
      'kairship-controller-manager',
      false,
      'update',
      'leases.coordination.k8s.io in kairship-system',
      'another',
    ],
    ['kairship-controller-manager', false, 'update', 'leases.coordination.k8s.io in kube-system', lease],
    ['kairship-controller-manager', false, 'delete', 'instances.kairship.io', 'eu'],
    ['kairship-controller-manager', false, 'create', 'instances.kairship.io'],
    ['kairship-controller-manager', false, 'update', 'secrets in kairship-system', 'eu'],
    ['kairship-controller-manager', false, 'create', 'clusterrolebindings.rbac.authorization.k8s.io'],
    ['kairship-controller-manager', false, 'create', 'pods in kairship-system'],
    ['kairship-controller-manager', false, 'impersonate', 'users'],
    ['kairship-apiserver', true, 'create', 'tokenreviews.authentication.k8s.io'],
    ['kairship-apiserver', true, 'create', 'subjectaccessreviews.authorization.k8s.io'],
    ['kairship-apiserver', true, 'create', 'instances.kairship.io'],
    ['kairship-apiserver', true, 'patch', 'instances.kairship.io', 'eu'],
    ['kairship-apiserver', true, 'list', 'resources/eu.clusterpedia.io'],
    ['kairship-apiserver', false, 'patch', 'instances/status.kairship.io', 'eu'],
    ['kairship-apiserver', false, 'delete', 'pediaclusters.cluster.clusterpedia.io', 'k-eu'],
    ['kairship-apiserver', false, 'update', 'leases.coordination.k8s.io in kairship-system', lease],
    ['kairship-apiserver', false, 'delete', 'secrets in kairship-system', 'eu'],
    ['kairship-apiserver', true, 'create', 'secrets in kairship-cloudshells'],
    ['kairship-apiserver', false, 'create', 'secrets in kairship-system'],
    ['kairship-apiserver', false, 'get', 'secrets in kairship-cloudshells', 'shell-kubeconfig'],
    ['kairship-apiserver', true, 'create', 'workspacebindings.kairship.io'],
    ['kairship-apiserver', true, 'watch', 'workspacebindings.kairship.io'],
    ['kairship-apiserver', true, 'watch', 'pediaclusters.cluster.clusterpedia.io'],
    ['kairship-apiserver', false, 'update', 'workspacebindings.kairship.io', 'instance-eu'],
    ['kairship-apiserver', true, 'list', 'workspaces.kairship.io'],
    ['kairship-apiserver', true, 'watch', 'workspaces.kairship.io'],
    ['kairship-apiserver', false, 'create', 'workspaces.kairship.io'],
    ['kairship-controller-manager', false, 'create', 'workspacebindings.kairship.io'],
    ['nobody', false, 'get', 'instances.kairship.io', 'eu'],
  ]
  for (const [account, allowed, verb, what, name] of rows)
    it(`${allowed ? 'let' : 'do not let'} ${account} ${verb} ${what}${name ? ` ${name}` : ''}`, async () => {
      expect(await may(account, verb, what, name)).toBe(allowed)
    })
})
