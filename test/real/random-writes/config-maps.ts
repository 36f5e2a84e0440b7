import fc from 'fast-check'
import { metadata, one, some, words } from './arbitraries.js'
import type { Subject } from './subject.js'

export const configMaps: Subject = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  path: namespace => `/api/v1/namespaces/${namespace}/configmaps`,
  least: {},
  opinion: some({
    metadata,
    data: words,
    binaryData: fc.dictionary(one('b', 'd'), one('MQ==', 'Mg=='), { maxKeys: 2 }),
    immutable: fc.constant(false),
  }),
  status: fc.constant({}),
  directives: fc.oneof(
    fc.constant({ data: { $patch: 'replace', c: '3' } }),
    fc.constant({ data: { $patch: 'delete' } }),
    fc.constant({ metadata: { '$deleteFromPrimitiveList/finalizers': ['example.test/a'] } }),
    fc.constant({
      metadata: {
        '$setElementOrder/finalizers': ['example.test/b', 'example.test/a'],
        finalizers: ['example.test/b'],
      },
    }),
    fc.constant({ metadata: { ownerReferences: [{ $patch: 'delete', uid: 'uid-p' }] } }),
  ),
  pointers: [
    '/data',
    '/data/a',
    '/data/b',
    '/metadata/labels',
    '/metadata/labels/a',
    '/metadata/finalizers/-',
  ],
}
