import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ObjectEditor } from '../../editor/object-editor.js'
import { DraftNotice, useFormDraft } from '../../forms/form-draft.js'
import { KubeApi } from '../../kube/kube-api.js'
import { workloadKinds, workloadType } from '../../kube/workload-kinds.js'
import { Trail } from '../../parts/trail.js'
import { RefusalNotice } from '../../rights/may.js'
import { useObjectWords } from '../../words/objects.js'
import { useWords } from '../../words/use-words.js'
import { KeepsFocus } from '../../writes/keeps-focus.js'
import { sketchOf, type WorkloadFields } from './sketch.js'
import { WorkloadForm } from './workload-form.js'

const route = getRouteApi('/instances/$name/workloads/new')

/** Creates a workload: a form with the common fields makes YAML, and the server checks that before it is created. */
export function CreateWorkloadScreen() {
  const { name: instance } = route.useParams()
  const { kind = 'deployments', namespace = 'default' } = route.useSearch()
  const navigate = route.useNavigate()
  const objects = useObjectWords()
  const { workloads } = useWords()
  const { form: words } = objects
  const api = useMemo(() => new KubeApi(instance), [instance])
  const draft = useFormDraft<{ readonly fields: WorkloadFields; readonly text?: string }>(
    `workload ${instance} ${kind} ${namespace}`,
    {
      fields: {
        kind,
        namespace,
        name: '',
        image: '',
        replicas: 2,
        schedule: '',
        command: '',
        withPolicy: true,
        clusters: [],
        isDivided: false,
      },
    },
  )
  const { fields, text } = draft.fields
  const setText = (next: string | undefined) =>
    draft.set({ fields, ...(next !== undefined && { text: next }) })
  const leave = (to: string, params: object) =>
    void navigate({ to, params: { name: instance, ...params } } as never)
  return (
    <Stack>
      <Trail
        to="/instances/$name/workloads"
        params={{ name: instance }}
        from={workloads.title}
        here={objects.create}
      />
      <Group justify="space-between">
        <Title order={2}>{words.title}</Title>
        {text === undefined ? (
          <Button
            variant="default"
            onClick={() =>
              setText(
                sketchOf({
                  ...fields,
                  name: fields.name || 'web',
                  image: fields.image || 'nginx:1.27',
                  schedule: fields.schedule || '0 3 * * *',
                }),
              )
            }
          >
            {words.asYaml}
          </Button>
        ) : (
          <Button variant="default" onClick={() => setText(undefined)}>
            {words.back}
          </Button>
        )}
      </Group>
      <KeepsFocus step={text} label={words.title}>
        {text === undefined ? (
          <Stack>
            <RefusalNotice wanted={{ instance, verb: 'create', ...workloadType(fields.kind) }} />
            <DraftNotice of={draft} label={words.title} />
            <WorkloadForm
              instance={instance}
              fields={fields}
              change={part => draft.set(before => ({ ...before, fields: { ...before.fields, ...part } }))}
              next={() => setText(sketchOf(fields))}
            />
          </Stack>
        ) : (
          <Stack>
            <Text size="sm" c="dimmed">
              {words.review}
            </Text>
            <ObjectEditor
              key={text}
              api={api}
              title={workloadKinds[fields.kind].kind}
              creates={workloadType(fields.kind)}
              text={text}
              cancel={() => leave('/instances/$name/workloads', {})}
              done={stored => {
                draft.forget()
                const { kind: word } = workloadKinds[fields.kind]
                const [, place] = stored.map(each => each.split(' ')).find(([first]) => first === word) ?? []
                const [inside = fields.namespace, workload] = place?.split('/') ?? []
                if (workload === undefined) leave('/instances/$name/workloads', {})
                else
                  leave('/instances/$name/workloads/$kind/$namespace/$workload', {
                    kind: fields.kind,
                    namespace: inside,
                    workload,
                  })
              }}
            />
          </Stack>
        )}
      </KeepsFocus>
    </Stack>
  )
}
