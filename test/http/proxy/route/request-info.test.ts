import { describe, expect, it } from 'vitest'
import { isDryRun, requestInfo } from '../../../../http/proxy/route/request-info.js'

describe('the classification of a request', () => {
  it.each<readonly [string, string, string]>([
    ['GET', '/api/v1/namespaces/a/pods', 'list pods a'],
    ['GET', '/api/v1/namespaces/a/pods/x', 'get pods a x'],
    ['GET', '/api/v1/namespaces/a/pods/x/log?follow=true', 'get pods a x log, long'],
    ['GET', '/api/v1/pods?watch=1', 'watch pods, long'],
    ['GET', '/api/v1/watch/namespaces/a/pods', 'watch pods a, long'],
    ['GET', '/apis/apps/v1/deployments?limit=500&resourceVersion=0', 'list apps/deployments'],
    [
      'GET',
      '/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
      'watch pods, long',
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
    // As k8s.io/apimachinery converts parameters to booleans: only 0 and false are false, and the first one counts.
    ...['false', 'False', 'FALSE', '0'].map(no => ['GET', `/api/v1/pods?watch=${no}`, 'list pods'] as const),
    ...['', 'true', 'TRUE', '1', '2', 'yes', 'on', 'no', 'f', '00', 'false%20'].map(
      yes => ['GET', `/api/v1/pods?watch=${yes}`, 'watch pods, long'] as const,
    ),
    ['GET', '/api/v1/pods?watch', 'watch pods, long'],
    ['GET', '/api/v1/pods?%77atch=on', 'watch pods, long'],
    ['GET', '/api/v1/pods?watch=0&watch=1', 'list pods'],
    ['GET', '/api/v1/namespaces/a/pods/x/log?follow=yes', 'get pods a x log, long'],
    ['GET', '/api/v1/namespaces/a/pods/x/log?follow=0', 'get pods a x log'],
    // A path that names an object is no watch of it, but what is behind a proxy may be one.
    ['GET', '/api/v1/namespaces/a/pods/x?watch=true', 'get pods a x'],
    ['GET', '/api/v1/namespaces/a/pods/x?follow=true', 'get pods a x'],
    [
      'GET',
      '/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/pods?watch=on',
      'get cluster.karmada.io/clusters m proxy/api/v1/pods, long',
    ],
    // A field selector gives a list a name, and changes no deletion.
    ['DELETE', '/api/v1/namespaces/a?fieldSelector=metadata.name%3Da', 'delete namespaces a'],
    ['GET', '/api/v1/namespaces/a?fieldSelector=metadata.name%3Da', 'get namespaces a'],
    // Segments are decoded one by one.
    ['PATCH', '/api/v1/namespaces/%61/%70ods/%78', 'patch pods a x'],
    ['DELETE', '/%61pi/%76%31/n%61mespaces/%61', 'delete namespaces a'],
    ['GET', '/%61pis/apps/v1/%77atch/deployments', 'watch apps/deployments, long'],
    ['GET', '/api/v1/namespaces/a/pods/%25%37%38', 'get pods a %78'],
    ['GET', '/api/v1/namespaces/a/pods/%ff', 'get pods a %ff'],
    // A server in Go drops what it cannot read, and then this is no dry run.
    ['POST', '/api/v1/namespaces?dryRun=All;x', 'create namespaces'],
    ['POST', '/api/v1/namespaces?dryRun=%zz', 'create namespaces'],
    ['POST', '/api/v1/namespaces?dryRun=All&dryRun=All', 'create namespaces, dry'],
    ['POST', '/api/v1/namespaces?dryRun=', 'create namespaces'],
  ])('%s %s gives %s', (method, target, words) => {
    const { verb, resource: r, long, dryRun } = requestInfo(method, target)
    const named = r && [`${r.group ? `${r.group}/` : ''}${r.resource}`, r.namespace, r.name, r.subresource]
    const flags = [long && 'long', dryRun && 'dry'].filter(Boolean)
    expect([[verb, ...(named ?? [])].filter(Boolean).join(' '), ...flags].join(', ')).toBe(words)
  })
})

describe('the dry-run check of a write', () => {
  it.each([
    ['POST', 'All', true, true],
    ['PATCH', 'All', true, true],
    ['DELETE', 'All', false, true],
    // Its options are read from the body, whatever the query says.
    ['DELETE', 'All', true, false],
    ['DELETE', '', false, false],
  ])('%s with dryRun=%s and a body: %s gives %s', (method, value, hasBody, expected) => {
    for (const path of ['/api/v1/namespaces/a/pods/x', '/api/v1/namespaces/a/pods'])
      expect(isDryRun(requestInfo(method, `${path}?dryRun=${value}`), hasBody)).toBe(expected)
  })
})
