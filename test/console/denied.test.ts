import { expect, it } from 'vitest'
import { ApiError } from '../../client/errors.js'
import { KubeError } from '../../console/kube/kube-error.js'
import { isDenied } from '../../console/live/denied.js'
import { Code } from '../../transcoding/code.js'

it.each([
  ['secrets is forbidden: User "ann" cannot list resource "secrets" in API group ""', true],
  [
    'clusterroles "a" is forbidden: user "ann" (groups=["dev"]) is attempting to grant RBAC permissions',
    true,
  ],
  ['ann may not list secrets in eu', true],
  ['pods "web" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1', false],
  ['pods "web" is forbidden: violates PodSecurity "restricted:latest"', false],
  [
    'configmaps "a" is forbidden: unable to create new content in namespace shop because it is being terminated',
    false,
  ],
  ['admission webhook "propagationpolicy.karmada.io" denied the request: unknown cluster', false],
])('a 403 is for want of a right and not from admission: %s', (message, isSo) => {
  expect(isDenied(new KubeError(message, 403))).toBe(isSo)
  expect(isDenied(new ApiError(Code.PERMISSION_DENIED, message))).toBe(isSo)
  expect(isDenied(new KubeError(message, 500))).toBe(false)
  expect(isDenied(new ApiError(Code.UNAVAILABLE, message))).toBe(false)
  expect(isDenied(new Error(message))).toBe(false)
})
