import { Group, Loader, Stack, Text, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { ObjectEdit } from '../editor/object-edit.js'
import { Problem } from '../failures/problem.js'
import { useLive } from '../live/use-live.js'
import { Freshness } from '../parts/freshness.js'
import { Labels } from '../parts/labels.js'
import { Section } from '../parts/section.js'
import { Ago } from '../parts/time.js'
import { Trail } from '../parts/trail.js'
import { Distribution } from '../propagation/distribution.js'
import { Propagation } from '../propagation/propagation.js'
import { useObjectWords } from '../words/objects.js'
import { useWords } from '../words/use-words.js'
import { editorForm } from './forms/kind-forms.js'
import { NoKind } from './no-kind.js'
import { ObjectActions } from './object-actions.js'
import { ObjectContent } from './object-content.js'
import type { ObjectKind } from './object-kind.js'
import { isPropagatedNamespace } from './propagated.js'
import { useKind } from './use-kind.js'

const route = getRouteApi('/instances/$name/objects/$kind/$namespace/$object')

/** One object: its content, its clusters, and the trace of its propagation. */
export function ObjectScreen() {
  const { name: instance, kind: given } = route.useParams()
  const { live } = useWords()
  const { kind, error } = useKind(instance, given)
  if (error) return <NoKind instance={instance} name={given} error={error} />
  if (!kind) return <Loader aria-label={live.loading} />
  return <Shown kind={kind} />
}

function Shown({ kind }: { readonly kind: ObjectKind }) {
  const { name: instance, kind: given, namespace: place, object: name } = route.useParams()
  const { edit } = route.useSearch()
  const navigate = route.useNavigate()
  const words = useObjectWords()
  const namespace = place === '-' ? '' : place
  const at = { type: kind.type, namespace, name }
  const isPlaced = kind.isPlaced && isPropagatedNamespace(namespace)
  const page = useLive(
    () => kind.source({ instance, namespace, only: name }),
    [kind, instance, namespace, name],
  )
  const row = page.items.find(({ metadata }) => metadata?.name === name)
  const metadata = row?.metadata
  const list = { name: instance, kind: given }
  return (
    <Stack>
      <Trail
        to="/instances/$name/objects/$kind"
        params={list}
        from={kind.type.kind}
        here={namespace ? `${namespace}/${name}` : name}
      />
      <Group justify="space-between">
        <Group align="baseline">
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Title>
          {metadata && (
            <Text size="sm" c="dimmed">
              <Ago time={Number(metadata.creationTimestamp)} />
            </Text>
          )}
        </Group>
        <Freshness page={page} />
      </Group>
      {page.problem && page.state !== 'live' && <Problem error={page.problem} />}
      {page.state === 'live' && !row && <Text>{words.gone(name)}</Text>}
      {row && !edit && (
        <ObjectActions
          instance={instance}
          kind={kind}
          row={row}
          edit={() => void navigate({ search: { edit: true } } as never)}
          left={() => void navigate({ to: '/instances/$name/objects/$kind', params: list } as never)}
        />
      )}
      {edit && (
        <ObjectEdit
          instance={instance}
          at={at}
          close={() => void navigate({ search: {} } as never)}
          {...editorForm(instance, kind, false)}
        />
      )}
      {row && (
        <>
          <Group gap="xl">
            {kind.facts.map((fact, index) => (
              <div key={fact}>
                <Text size="xs" c="dimmed">
                  {words.facts[fact]}
                </Text>
                <Text size="sm">{row.facts[index] || '–'}</Text>
              </div>
            ))}
          </Group>
          <Labels of={metadata?.labels} />
          {!edit && <ObjectContent instance={instance} kind={kind} at={at} version={row} />}
          {isPlaced && row.clusters && (
            <Section title={words.distribution}>
              <Distribution clusters={row.clusters} instance={instance} />
            </Section>
          )}
          {isPlaced && (
            <Section title={words.way}>
              <Propagation instance={instance} at={at} version={row} />
            </Section>
          )}
        </>
      )}
    </Stack>
  )
}
