import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ownNamespaceOf } from '../kube/object.js'
import { type WorkloadKind, workloadKinds } from '../kube/workload-kinds.js'
import { MayButton } from '../rights/may.js'
import { useObjectWords } from '../words/objects.js'
import { useWords } from '../words/use-words.js'
import { workloads } from '../workloads/workloads.js'
import { DeleteDialog } from '../writes/delete-dialog.js'
import { objectKinds } from './kinds.js'
import type { ObjectKind, ObjectRow } from './object-kind.js'
import { customResources } from './type-sources.js'

/** The buttons of an object. Buttons that the caller may not use say why. */
export function ObjectActions({
  instance,
  kind,
  row,
  edit,
  left,
}: {
  readonly instance: string
  readonly kind: ObjectKind
  readonly row: ObjectRow
  readonly edit: () => void
  /** Called after it was deleted. */
  readonly left: () => void
}) {
  const words = useObjectWords()
  const { type, isSecret = false } = kind
  const [namespace, name] = [row.metadata?.namespace ?? '', row.metadata?.name ?? '']
  const { group, resource } = type
  const one = { instance, group, resource, namespace: ownNamespaceOf({ type, namespace, name }), name }
  const [isDeleting, setDeleting] = useState(false)
  const look = { size: 'xs', variant: 'default' } as const
  return (
    <Group gap="xs" role="group" aria-label={words.actions}>
      <MayButton {...look} wanted={{ ...one, verb: 'update' }} onClick={edit}>
        {isSecret ? words.editSecret : words.edit}
      </MayButton>
      <MayButton
        {...look}
        color="red"
        variant="outline"
        wanted={{ ...one, verb: 'delete' }}
        onClick={() => setDeleting(true)}
      >
        {words.delete}
      </MayButton>
      {isDeleting && (
        <Deleting instance={instance} kind={kind} row={row} close={() => setDeleting(false)} done={left} />
      )}
    </Group>
  )
}

function Deleting({
  instance,
  kind,
  row,
  close,
  done,
}: {
  readonly instance: string
  readonly kind: ObjectKind
  readonly row: ObjectRow
  readonly close: () => void
  readonly done: () => void
}) {
  const words = useObjectWords()
  const { type } = kind
  const { name = '', namespace = '', uid = '' } = row.metadata ?? {}
  const isNamespace = type.resource === 'namespaces'
  const isDefinition = type.resource === 'customresourcedefinitions'
  const { data } = useQuery({
    queryKey: ['goes-with', instance, type.resource, name],
    queryFn: ({ signal }) =>
      isNamespace ? insideOf(instance, name, signal) : resourcesOf(instance, name, row, signal),
    enabled: isNamespace || isDefinition,
    staleTime: 0,
    gcTime: 0,
  })
  const { joint } = useWords()
  const takes = isNamespace
    ? [words.goesWithNamespace(joint.names((data ?? []).map(({ what, n }) => `${what} ${n}`)))]
    : isDefinition
      ? [words.goesWithDefinition(data?.[0]?.n, row.facts[0] ?? '')]
      : []
  return (
    <DeleteDialog
      instance={instance}
      at={{ type, namespace, name }}
      uid={uid}
      clusters={row.clusters ?? []}
      takes={takes}
      mustType={isNamespace || isDefinition}
      close={close}
      done={done}
    />
  )
}

/** A number of objects that are deleted with another one. */
interface Counted {
  readonly what: string
  readonly n: number
}

/** Counts the objects of a namespace, of kinds with a screen. Kinds that the caller may not list are left out. */
async function insideOf(
  instance: string,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly Counted[]> {
  const wanted = { instance, namespace }
  const lists = [
    ...Object.entries(workloadKinds).map(([path, { kind }]) => ({
      what: kind,
      source: workloads(path as WorkloadKind, wanted),
    })),
    ...Object.values(objectKinds)
      .filter(({ type }) => type.isNamespaced)
      .map(({ type, source }) => ({ what: type.kind, source: source(wanted) })),
  ]
  const counted = await Promise.allSettled(
    lists.map(async ({ what, source }) => ({ what, n: (await source.list(ONE, signal)).total })),
  )
  return counted.flatMap(result => (result.status === 'fulfilled' && result.value.n > 0 ? result.value : []))
}

/** The smallest page: any page has the total. */
const ONE = { page: 1, pageSize: 1 } as const

async function resourcesOf(
  instance: string,
  definition: string,
  { facts: [kind = '', , versions = ''] }: ObjectRow,
  signal: AbortSignal,
): Promise<readonly Counted[]> {
  const [resource = '', ...group] = definition.split('.')
  const [version = ''] = versions.split(', ')
  const type = { group: group.join('.'), version, resource, kind, isNamespaced: true }
  const { total } = await customResources(type)({ instance }).list(ONE, signal)
  return [{ what: kind, n: total }]
}
