import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { loadConfig } from '../../cli/settings/load-config.js'
import { type CommandName, settings } from '../../config.js'
import { KEYS_SECRET } from '../../http/identity/instance-tokens/signing-keys.js'
import { CLOUD_SHELL_NAMESPACE } from '../../manifests/cloud-shell.js'
import type { KubeObject } from '../../manifests/kube.js'

// biome-ignore lint/suspicious/noExplicitAny: YAML as it stands, read by tests only
type Yaml = any
const manifests = resolve(import.meta.dirname, '../../manifests')
const documents = (folder: string): (KubeObject & Yaml)[] =>
  readdirSync(join(manifests, folder)).flatMap(file =>
    parseAllDocuments(readFileSync(join(manifests, folder, file), 'utf8')).map(document => document.toJS()),
  )
const objects = documents('install')
const ofKind = (kind: string) => objects.filter(object => object.kind === kind)

describe('the manifests in manifests/install', () => {
  it('have objects only in the namespace of the settings, the namespace of terminals, or none', () => {
    const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace).filter(Boolean))
    expect([...namespaces]).toEqual([settings.namespace.default, CLOUD_SHELL_NAMESPACE])
  })

  it('bind only roles and subjects that exist', () => {
    const named = (kind: string, name: string) => ofKind(kind).some(({ metadata }) => metadata.name === name)
    for (const { roleRef, subjects } of [...ofKind('ClusterRoleBinding'), ...ofKind('RoleBinding')]) {
      expect(named(roleRef.kind, roleRef.name), roleRef.name).toBe(true)
      for (const subject of subjects) expect(named('ServiceAccount', subject.name), subject.name).toBe(true)
    }
  })

  it('give `kairship serve` exactly the roles of both Deployments', () => {
    const roles = (of: Yaml[], accounts: string[]) =>
      of
        .filter(({ kind, subjects }) => /Binding$/.test(kind) && accounts.includes(subjects[0].name))
        .map(
          ({ kind, metadata, roleRef }) =>
            `${kind} ${metadata.namespace ?? ''} ${roleRef.kind} ${roleRef.name}`,
        )
        .sort()
    const both = ['kairship-controller-manager', 'kairship-apiserver']
    expect(roles(documents('serve'), ['kairship-serve'])).toEqual(roles(objects, both))
  })

  it('name the lease of the settings, and the Secret of the keys of instance tokens', () => {
    const rules: Yaml[] = objects.flatMap(({ rules = [] }) => rules)
    const names = rules.flatMap(({ resources, resourceNames = [] }) =>
      resourceNames.map((name: string) => `${resources} ${name}`),
    )
    expect([...new Set(names)].sort()).toEqual([
      `leases ${settings.leaseName.default}`,
      `secrets ${KEYS_SECRET}`,
    ])
    expect(ofKind('Secret')).toMatchObject([{ metadata: { name: KEYS_SECRET } }])
  })

  it('have a Service with client affinity, because a replica knows only its own writes', () => {
    const [service, ...more] = ofKind('Service')
    expect(more).toEqual([])
    expect(service?.spec).toMatchObject({ sessionAffinity: 'ClientIP' })
    // Longer than any index may be behind; kube-proxy counts from the caller's last connection, not its last request.
    expect(service?.spec.sessionAffinityConfig.clientIP.timeoutSeconds).toBeGreaterThanOrEqual(3_600)
  })

  for (const { metadata, spec } of ofKind('Deployment')) {
    const pod = spec.template.spec
    const [container] = pod.containers
    const environment = Object.fromEntries(
      container.env.map(({ name, value }: Yaml) => [name, value ?? 'from-the-pod']),
    )

    it(`start ${metadata.name} with settings that it accepts`, () => {
      const command: CommandName = container.args[0]
      const config = loadConfig(command, { flags: {}, environment, readFile: () => '' })
      const settings = Object.keys(environment).filter(name => name.startsWith('KAIRSHIP_'))
      expect(settings.length).toBeGreaterThan(1)
      const ports = container.ports.map((port: Yaml) => String(port.containerPort))
      const listening = [
        config.healthListen,
        ...(command === 'apiserver' ? [config.listen, config.grpcListen] : []),
      ]
      expect(listening.map(address => address.split(':').at(-1)).sort()).toEqual(ports.sort())
    })

    it(`run ${metadata.name} without any privilege`, () => {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(pod.enableServiceLinks).toBe(false)
    })

    it(`select the Pods of ${metadata.name}, also in its PodDisruptionBudget`, () => {
      const labels = spec.template.metadata.labels
      expect(spec.selector.matchLabels).toEqual(labels)
      const budget = ofKind('PodDisruptionBudget').find(one => one.metadata.name === metadata.name)
      expect(budget?.spec.selector.matchLabels).toEqual(labels)
    })
  }
})
