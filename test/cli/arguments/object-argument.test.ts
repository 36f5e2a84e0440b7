import { describe, expect, it } from 'vitest'
import { objectArgument } from '../../../cli/arguments/object-argument.js'
import { ExitCode } from '../../../cli/exit-code.js'

describe('an object argument of a command', () => {
  it.each([
    ['deployment', 'shop/web', { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' }],
    [
      'Deployments',
      'shop/web',
      { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
    ],
    [
      'ingresses',
      'shop/web',
      { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace: 'shop', name: 'web' },
    ],
    ['namespace', 'shop', { apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop' }],
    [
      'example.io/v1/Rig',
      'shop/one',
      { apiVersion: 'example.io/v1', kind: 'Rig', namespace: 'shop', name: 'one' },
    ],
    ['v1/ConfigMap', 'shop/one', { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'one' }],
  ])('is parsed from %s %s', (type, object, expected) => {
    expect(objectArgument(type, object)).toEqual(expected)
  })

  it.each([
    ['deploy', 'Deployment'],
    ['sts', 'StatefulSet'],
    ['ds', 'DaemonSet'],
    ['cj', 'CronJob'],
    ['svc', 'Service'],
    ['cm', 'ConfigMap'],
    ['sa', 'ServiceAccount'],
    ['pvc', 'PersistentVolumeClaim'],
    ['po', 'Pod'],
    ['ing', 'Ingress'],
    ['ns', 'Namespace'],
  ])('%s, a short name of kubectl, stands for %s', (type, kind) => {
    expect(objectArgument(type, 'shop/web').kind).toBe(kind)
  })

  it('needs a namespace where its kind has one', () => {
    expect(() => objectArgument('deploy', 'web')).toThrow(
      'a Deployment has a namespace: write NAMESPACE/NAME, for example default/web',
    )
    expect(() => objectArgument('apps/v1/Deployment', 'web')).toThrow('write NAMESPACE/NAME')
    expect(objectArgument('clusterrole', 'reader').namespace).toBe('')
  })

  it('asks for the type or the name that is missing', () => {
    expect(() => objectArgument('shop', '')).toThrow(
      'name the object as well as its type: TYPE/NAME, for example deployment/shop',
    )
    expect(() => objectArgument('sts', '')).toThrow('for example sts/web')
  })

  it.each([
    ['deployment', '/'],
    ['deployment', 'shop/'],
    ['deployment', '/web'],
    ['deployment', 'a/b/c'],
  ])('%s “%s” is refused with the expected form', (type, object) => {
    expect(() => objectArgument(type, object)).toThrow('expected NAMESPACE/NAME')
  })

  it.each(['rig', 'example.io/', '/Rig'])('the type “%s” is refused with the expected form', type => {
    expect(() => objectArgument(type, 'shop/one')).toThrow(
      /write one of deployment, .*or name it with its apiVersion/,
    )
  })

  it.each([
    ['deployment/web', '', 'shop'],
    ['deploy/shop/web', '', undefined],
    ['deployment', 'web', 'shop'],
    ['deployment.apps/web', '', 'shop'],
    ['deployment', 'shop/web', 'shop'],
  ])('is parsed from %s “%s” with -n %s', (type, object, inNamespace) => {
    const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' }
    expect(objectArgument(type, object, inNamespace)).toEqual(web)
  })

  it('without its namespace is a wrong usage', () => {
    const refusal = { message: expect.stringContaining('default/shop'), exitCode: ExitCode.usage }
    expect(() => objectArgument('deployment', 'shop')).toThrow(expect.objectContaining(refusal))
    expect(() => objectArgument('deployment/shop', '')).toThrow(expect.objectContaining(refusal))
  })

  it('with two namespaces is refused', () => {
    expect(() => objectArgument('deploy', 'shop/web', 'shpo')).toThrow('--namespace another: shpo')
  })

  it('of a misspelt type is refused with the type that is meant, and those that are known', () => {
    expect(() => objectArgument('deploymnet', 'shop/web')).toThrow(
      /"deploymnet" is not known here \(Did you mean deployment\?\): write one of deployment, statefulset, /,
    )
    expect(() => objectArgument('rig', 'shop/web')).toThrow('"rig" is not known here: write one of')
  })
})
