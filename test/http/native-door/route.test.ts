import { describe, expect, it } from 'vitest'
import { requestInfo } from '../../../http/native-door/request-info.js'
import { type IndexCapabilities, type IndexState, route } from '../../../http/native-door/route.js'

describe('what a request is about', () => {
  it.each([
    ['GET', '/api/v1/namespaces/a/pods', 'list pods a'],
    ['GET', '/api/v1/namespaces/a/pods/x', 'get pods a x'],
    ['GET', '/api/v1/namespaces/a/pods/x/log?follow=true', 'get pods a x log, long'],
    ['GET', '/api/v1/pods?watch=1', 'watch pods, long'],
    ['GET', '/api/v1/watch/namespaces/a/pods', 'watch pods a, long'],
    ['GET', '/apis/apps/v1/deployments?limit=500&resourceVersion=0', 'list apps/deployments, informer'],
    [
      'GET',
      '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
      'watch pods, long, informer',
    ],
    ['POST', '/apis/apps/v1/namespaces/a/deployments?dryRun=All', 'create apps/deployments a, dry'],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/x/scale', 'patch apps/deployments a x scale'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection pods a'],
    ['DELETE', '/api/v1/namespaces/a', 'delete namespaces a'],
    ['GET', '/api/v1/namespaces', 'list namespaces'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update namespaces a finalize'],
    [
      'GET',
      '/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/pods',
      'get cluster.karmada.io/clusters m proxy/api/v1/pods',
    ],
    ['GET', '/apis/apps/v1', 'get'],
    ['GET', '/openapi/v3', 'get'],
    ['POST', '/', 'post'],
    ['GET', '/api/v1/pods?watch=false', 'list pods'],
  ])('%s %s is %s', (method, target, words) => {
    const { verb, resource: r, long, dryRun, startsInformer } = requestInfo(method, target)
    const named = r && [`${r.group ? `${r.group}/` : ''}${r.resource}`, r.namespace, r.name, r.subresource]
    const flags = [long && 'long', dryRun && 'dry', startsInformer && 'informer'].filter(Boolean)
    // Namespaces are their own name here, so that the table reads alike.
    expect([[verb, ...(named ?? [])].filter(Boolean).join(' '), ...flags].join(', ')).toBe(words)
  })
})

const clusterpedia: IndexCapabilities = { lossless: false, watch: false }
const embedded: IndexCapabilities = { lossless: true, watch: true }
const good: IndexState = { holdsType: true, synced: true, healthy: true, hasCallersWrites: true }

const list = ['GET', '/apis/apps/v1/deployments?limit=20'] as const
const get = ['GET', '/apis/apps/v1/namespaces/a/deployments/x'] as const
const watch = ['GET', '/apis/apps/v1/deployments?watch=true'] as const
const informer = ['GET', '/apis/apps/v1/deployments?limit=500&resourceVersion=0'] as const

describe('a request goes', () => {
  it.each([
    [list, clusterpedia, 'index'],
    [list, embedded, 'index'],
    [get, clusterpedia, 'karmada'],
    [get, embedded, 'index'],
    [watch, clusterpedia, 'karmada'],
    [watch, embedded, 'index'],
    [informer, clusterpedia, 'karmada'],
    [informer, embedded, 'index'],
    [['POST', '/apis/apps/v1/namespaces/a/deployments'], embedded, 'karmada'],
    [['PUT', '/apis/apps/v1/namespaces/a/deployments/x'], embedded, 'karmada'],
    [['PATCH', '/apis/apps/v1/namespaces/a/deployments/x'], embedded, 'karmada'],
    [['DELETE', '/apis/apps/v1/namespaces/a/deployments/x'], embedded, 'karmada'],
    [['DELETE', '/apis/apps/v1/namespaces/a/deployments'], embedded, 'karmada'],
    [['GET', '/api/v1/namespaces/a/pods/x/log'], embedded, 'karmada'],
    [['GET', '/api/v1/namespaces/a/pods/x/exec'], embedded, 'karmada'],
    [['GET', '/apis/apps/v1/deployments?dryRun=All'], embedded, 'karmada'],
    [['GET', '/apis'], embedded, 'karmada'],
    [['GET', '/version'], embedded, 'karmada'],
  ] as const)('%j with %j to the %s', (request, can, to) => {
    expect(route(requestInfo(request[0], request[1]), { can, state: good })).toMatchObject({
      to,
      fallback: false,
    })
  })

  it.each([
    [{ holdsType: false }, false],
    [{ synced: false }, true],
    [{ healthy: false }, true],
    [{ hasCallersWrites: false }, true],
  ])('to Karmada when the index is %j (a fallback: %s), and says why', (change, fallback) => {
    for (const request of [list, get, watch]) {
      const found = route(requestInfo(request[0], request[1]), {
        can: embedded,
        state: { ...good, ...change },
      })
      expect(found).toMatchObject({ to: 'karmada', fallback })
      expect(found.because).not.toBe('')
    }
  })

  it('to Karmada where there is no index', () => expect(route(requestInfo(...list)).to).toBe('karmada'))
})
