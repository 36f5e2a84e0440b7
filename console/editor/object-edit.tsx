import { Loader } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Problem } from '../failures/problem.js'
import { KubeApi } from '../kube/kube-api.js'
import type { ObjectAddress } from '../kube/object.js'
import { useEditorWords } from '../words/editor.js'
import { readBase } from './edit-source.js'
import { ObjectEditor, type ObjectEditorProps } from './object-editor.js'

/** Reads an object, then shows its editor. */
export function ObjectEdit({
  instance,
  at,
  close,
  form,
}: {
  readonly instance: string
  readonly at: ObjectAddress
  readonly close: () => void
  readonly form?: ObjectEditorProps['form']
}) {
  const words = useEditorWords()
  const api = useMemo(() => new KubeApi(instance), [instance])
  const { data, error, refetch } = useQuery({
    queryKey: ['edited', instance, at],
    queryFn: ({ signal }) => readBase(api, at, signal),
    staleTime: 0,
    gcTime: 0,
  })
  if (error) return <Problem error={error} retry={() => void refetch()} />
  if (!data) return <Loader aria-label={words.loading} />
  const title = `${at.type.kind} ${at.namespace ? `${at.namespace}/` : ''}${at.name}`
  return (
    <ObjectEditor
      api={api}
      title={title}
      at={at}
      text={data.text}
      base={data}
      done={close}
      cancel={close}
      {...(form && { form })}
    />
  )
}
