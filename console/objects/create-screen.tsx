import { Loader, Stack, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ObjectEditor } from '../editor/object-editor.js'
import { KubeApi } from '../kube/kube-api.js'
import { useObjectWords } from '../words/objects.js'
import { useWords } from '../words/use-words.js'
import { editorForm } from './forms/kind-forms.js'
import { NoKind } from './no-kind.js'
import { useKind } from './use-kind.js'

const route = getRouteApi('/instances/$name/objects/$kind/new')

/** Creates an object by form or YAML, from a sketch. The text may have further objects. */
export function CreateObjectScreen() {
  const { name: instance, kind: given } = route.useParams()
  const { namespace = 'default' } = route.useSearch()
  const navigate = route.useNavigate()
  const words = useObjectWords()
  const { live } = useWords()
  const api = useMemo(() => new KubeApi(instance), [instance])
  const { kind, error } = useKind(instance, given)
  const list = { name: instance, kind: given }
  const leave = () => void navigate({ to: '/instances/$name/objects/$kind', params: list } as never)
  if (error) return <NoKind instance={instance} name={given} error={error} />
  if (!kind) return <Loader aria-label={live.loading} />
  return (
    <Stack>
      <Title order={2}>{words.createTitle(kind.type.kind)}</Title>
      <ObjectEditor
        api={api}
        title={kind.type.kind}
        creates={kind.type}
        text={kind.sketch(namespace)}
        cancel={leave}
        done={stored => {
          const [, place = ''] =
            stored.map(each => each.split(' ')).find(([of]) => of === kind.type.kind) ?? []
          const [object, inside] = place.split('/').reverse()
          if (!object) return leave()
          const to = '/instances/$name/objects/$kind/$namespace/$object'
          const within = kind.type.isNamespaced ? inside || 'default' : '-'
          void navigate({ to, params: { ...list, namespace: within, object } } as never)
        }}
        {...editorForm(instance, kind, true)}
      />
    </Stack>
  )
}
