import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Base } from '../editor/edit.js'
import { readBase } from '../editor/edit-source.js'
import { ObjectEditor } from '../editor/object-editor.js'
import { Problem } from '../failures/problem.js'
import { useClusterNames } from '../instance/names.js'
import { KubeApi } from '../kube/kube-api.js'
import type { ObjectAddress } from '../kube/object.js'
import { usePolicyWords } from '../words/policies.js'
import { useWords } from '../words/use-words.js'
import { PolicyForm } from './policy-form.js'
import {
  isPolicyKind,
  NO_NAMESPACE,
  type PolicyKind,
  policyKinds,
  policyType,
  sketchOf,
} from './policy-kinds.js'
import { PolicyPath } from './policy-screen.js'
import { PreviewPanel } from './preview-panel.js'

const edited = getRouteApi('/instances/$name/policies/$kind/$namespace/$policy/edit')
const created = getRouteApi('/instances/$name/policies/$kind/new')

/** Edits a policy by form or YAML, with a preview of its effects. */
export function PolicyEditScreen() {
  const { name: instance, kind, namespace: given, policy: name } = edited.useParams()
  const { problem } = useWords()
  const namespace = given === NO_NAMESPACE ? '' : given
  const api = useMemo(() => new KubeApi(instance), [instance])
  const at = useMemo<ObjectAddress | undefined>(
    () => (isPolicyKind(kind) ? { type: policyType(kind), namespace, name } : undefined),
    [kind, namespace, name],
  )
  const read = useQuery({
    queryKey: ['policy to edit', instance, kind, namespace, name],
    queryFn: ({ signal }) => (at ? readBase(api, at, signal) : Promise.reject(new Error(problem.notFound))),
    // The policy is read once for each edit: the editor finds conflicts by comparing with this version.
    gcTime: 0,
  })
  if (!isPolicyKind(kind) || !at) return <Title order={2}>{problem.notFound}</Title>
  return (
    <Stack>
      <PolicyPath instance={instance} kind={kind} title={namespace ? `${namespace}/${name}` : name} />
      {read.error && <Problem error={read.error} retry={() => void read.refetch()} />}
      {read.data && <Editing api={api} kind={kind} at={at} base={read.data} text={read.data.text} />}
    </Stack>
  )
}

/** Creates a policy in the same editor. */
export function PolicyCreateScreen() {
  const { name: instance, kind } = created.useParams()
  const { namespace = '' } = created.useSearch()
  const words = usePolicyWords()
  const { problem } = useWords()
  const api = useMemo(() => new KubeApi(instance), [instance])
  if (!isPolicyKind(kind)) return <Title order={2}>{problem.notFound}</Title>
  return (
    <Stack>
      <PolicyPath instance={instance} kind={kind} title={words.create} />
      <Editing api={api} kind={kind} text={sketchOf(kind, namespace)} />
    </Stack>
  )
}

function Editing({
  api,
  kind,
  at,
  base,
  text,
}: {
  readonly api: KubeApi
  readonly kind: PolicyKind
  readonly at?: ObjectAddress
  readonly base?: Base
  readonly text: string
}) {
  const { instance } = api
  const navigate = useNavigate()
  const words = usePolicyWords()
  const { kind: word, isOverride, isNamespaced } = policyKinds[kind]
  const clusters = useClusterNames(instance)
  const title = at
    ? `${word} ${at.namespace ? `${at.namespace}/` : ''}${at.name}`
    : `${words.create} · ${word}`
  const leave = () =>
    void navigate({
      to: '/instances/$name/policies',
      params: { name: instance },
      search: kind === 'propagationpolicies' ? {} : { kind },
    } as never)
  return (
    <ObjectEditor
      api={api}
      title={title}
      text={text}
      {...(at ? { at } : { creates: policyType(kind) })}
      {...(base && { base })}
      cancel={leave}
      done={leave}
      form={(current, change) => (
        <PolicyForm
          text={current}
          change={change}
          clusters={clusters}
          isNew={!at}
          isOverride={isOverride}
          isNamespaced={isNamespaced}
        />
      )}
      beside={current => <PreviewPanel instance={instance} text={current} />}
    />
  )
}
