import { describe, expect, it } from 'vitest'
import { builtinDefinitions } from '../../../../playground/apimachinery/builtin/builtin-definitions.js'
import { humanDuration, timeSince } from '../../../../playground/apimachinery/human-duration.js'
import type { JsonObject } from '../../../../playground/apimachinery/json.js'
import { toTable } from '../../../../playground/apimachinery/table/to-table.js'
import { shipsWith } from '../ships.js'

const now = new Date('2026-01-02T00:00:00Z')
const metadata = { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' }
const cells = (kind: string, object: JsonObject): unknown => {
  const definition = builtinDefinitions.find(one => one.kind === kind)!
  const table = toTable(definition, [{ metadata, ...object }], { now }) as unknown as {
    columnDefinitions: { name: string; priority: number }[]
    rows: { cells: unknown[] }[]
  }
  return Object.fromEntries(table.columnDefinitions.map(({ name }, at) => [name, table.rows[0]!.cells[at]]))
}

describe('a printed duration', () => {
  const s = 1000
  const m = 60 * s
  const h = 60 * m
  const d = 24 * h
  it.each([
    [-5 * s, '<invalid>'],
    [-1 * s, '0s'],
    [0, '0s'],
    [119 * s, '119s'],
    [2 * m, '2m'],
    [2 * m + 5 * s, '2m5s'],
    [10 * m + 5 * s, '10m'],
    [179 * m, '179m'],
    [3 * h, '3h'],
    [3 * h + 20 * m, '3h20m'],
    [47 * h, '47h'],
    [48 * h, '2d'],
    [50 * h, '2d2h'],
    [8 * d + h, '8d'],
    [729 * d, '729d'],
    [740 * d, '2y10d'],
    [3000 * d, '8y'],
  ])('%d ms is %s', (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text)
  })
  it('is <unknown> without a time and <invalid> with a bad one', () => {
    expect([timeSince(undefined, now), timeSince('soon', now)]).toEqual(['<unknown>', '<invalid>'])
  })
})

describe('the table of built-in kinds', () => {
  it('prints a Deployment as a kube-apiserver does', () => {
    const object = {
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: { spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
      status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 2 },
    }
    expect(cells('Deployment', object)).toEqual({
      Name: 'a',
      Ready: '2/3',
      'Up-to-date': 3,
      Available: 2,
      Age: '24h',
      Containers: 'c',
      Images: 'i',
      Selector: 'app=web',
    })
  })

  it.each<[string, JsonObject, string, string, string]>([
    ['pending', { phase: 'Pending' }, '0/1', 'Pending', '0'],
    [
      'running',
      {
        phase: 'Running',
        containerStatuses: [{ name: 'c', ready: true, restartCount: 0, state: { running: {} } }],
      },
      '1/1',
      'Running',
      '0',
    ],
    [
      'crashing',
      {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'c',
            ready: false,
            restartCount: 4,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { finishedAt: '2026-01-01T23:55:00Z' } },
          },
        ],
      },
      '0/1',
      'CrashLoopBackOff',
      '4 (5m ago)',
    ],
    [
      'initializing',
      { phase: 'Pending', initContainerStatuses: [{ name: 'i', restartCount: 0, state: { running: {} } }] },
      '0/1',
      'Init:0/1',
      '0',
    ],
    [
      'failed to initialize',
      {
        phase: 'Pending',
        initContainerStatuses: [{ name: 'i', restartCount: 1, state: { terminated: { exitCode: 2 } } }],
      },
      '0/1',
      'Init:ExitCode:2',
      '1',
    ],
    [
      'done',
      {
        phase: 'Succeeded',
        containerStatuses: [
          { name: 'c', restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
        ],
      },
      '0/1',
      'Completed',
      '0',
    ],
    ['evicted', { phase: 'Failed', reason: 'Evicted' }, '0/1', 'Evicted', '0'],
  ])('prints a %s pod', (_title, status, ready, reason, restarts) => {
    const spec = { containers: [{ name: 'c' }], initContainers: [{ name: 'i' }] }
    expect(cells('Pod', { spec, status })).toMatchObject({ Ready: ready, Status: reason, Restarts: restarts })
  })

  it('prints a terminating pod', () => {
    const going = {
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T23:00:00Z' },
      status: { phase: 'Running' },
    }
    expect(cells('Pod', going)).toMatchObject({ Status: 'Terminating' })
  })

  it.each<[string, JsonObject, JsonObject]>([
    [
      'Service',
      {
        spec: {
          type: 'NodePort',
          clusterIP: '10.96.0.1',
          ports: [{ port: 80, nodePort: 30080, protocol: 'TCP' }],
        },
      },
      { 'Cluster-IP': '10.96.0.1', 'External-IP': '<none>', 'Port(s)': '80:30080/TCP', Selector: '<none>' },
    ],
    ['Service', { spec: { type: 'LoadBalancer' } }, { 'External-IP': '<pending>', 'Port(s)': '<none>' }],
    [
      'Node',
      { spec: { unschedulable: true }, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      { Status: 'Ready,SchedulingDisabled', Roles: '<none>' },
    ],
    ['ConfigMap', { data: { a: '' }, binaryData: { b: '' } }, { Data: 2 }],
    [
      'Job',
      { spec: { completions: 2 }, status: { succeeded: 1, startTime: '2026-01-01T23:00:00Z' } },
      { Status: 'Running', Completions: '1/2', Duration: '60m' },
    ],
    [
      'PersistentVolumeClaim',
      {
        spec: { volumeName: 'v' },
        status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
      },
      { Capacity: '1Gi', 'Access Modes': 'RWO' },
    ],
    [
      'Event',
      { involvedObject: { kind: 'Pod', name: 'p' }, lastTimestamp: '2026-01-01T23:59:00Z', message: ' hi ' },
      { 'Last Seen': '60s', Object: 'pod/p', Message: 'hi', Count: 1 },
    ],
    ['CustomResourceDefinition', {}, { 'Created At': '2026-01-01T00:00:00Z' }],
  ])('prints a %s', (kind, object, expected) => {
    expect(cells(kind, object)).toMatchObject(expected)
  })

  it('exists for every kind, even for an empty object', () => {
    for (const definition of builtinDefinitions) {
      const table = toTable(definition, [{}], { now }) as unknown as { rows: { cells: unknown[] }[] }
      expect(table.rows[0]!.cells).toHaveLength(definition.printerColumns.length)
    }
  })
})

describe('the table of a custom kind', () => {
  const definition = shipsWith({
    additionalPrinterColumns: [
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'Size', type: 'integer', jsonPath: '.spec.size', priority: 1 },
      { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      { name: 'Tags', type: 'string', jsonPath: '.spec.tags' },
    ],
  })
  const ship = {
    metadata,
    spec: { size: 3, tags: ['a'] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }

  it('has its printer columns, and empty cells without a value', () => {
    const { rows } = toTable(definition, [ship, { metadata: { name: 'b' } }], { now }) as unknown as {
      rows: { cells: unknown[] }[]
    }
    expect(rows.map(row => row.cells)).toEqual([
      ['a', 'True', 3, '24h', '["a"]'],
      ['b', null, null, null, null],
    ])
  })

  it.each([
    ['None', null],
    ['Metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }],
    ['Object', ship],
  ] as const)('includes %s of the object', (includeObject, expected) => {
    const { rows } = toTable(definition, [ship], { now, includeObject }) as unknown as {
      rows: { object: unknown }[]
    }
    expect(rows[0]!.object).toEqual(expected)
  })
})
