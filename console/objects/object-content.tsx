import { Anchor, Button, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { YamlField } from '../editor/code/lazy.js'
import { textOf } from '../editor/manifest.js'
import { Problem } from '../failures/problem.js'
import { KubeApi } from '../kube/kube-api.js'
import type { KubeObject, ObjectAddress } from '../kube/object.js'
import { asError } from '../live/follow.js'
import { useObjectWords } from '../words/objects.js'
import { useWords } from '../words/use-words.js'
import { configMapEntries, secretEntries } from './data-entries.js'
import { DataEntries } from './data-list.js'
import type { ObjectKind } from './object-kind.js'
import { nameOfType } from './use-kind.js'

/** The content of an object: the entries of a ConfigMap or Secret, the YAML of others. @param version changes when the content must be read again */
export function ObjectContent({
  instance,
  kind,
  at,
  version,
}: {
  readonly instance: string
  readonly kind: ObjectKind
  readonly at: ObjectAddress
  readonly version: unknown
}) {
  const words = useObjectWords()
  const { live } = useWords()
  const [isAsked, setAsked] = useState(kind.isSecret !== true)
  const { data, error, refetch } = useQuery({
    queryKey: ['object', instance, at.type.group, at.type.resource, at.namespace, at.name],
    queryFn: ({ signal }) => new KubeApi(instance).get(at, signal),
    enabled: isAsked,
    staleTime: 0,
    // A Secret's content is not kept after its screen was left.
    gcTime: 0,
    structuralSharing: false,
  })
  const looked = useRef(version)
  useEffect(() => {
    if (looked.current === version || !isAsked) return
    looked.current = version
    void refetch()
  }, [version, isAsked, refetch])
  const isData = kind.type.resource === 'configmaps' || kind.isSecret === true
  return (
    <Paper withBorder p="lg" component="section">
      <Stack align="stretch">
        <Title order={3} size="h4">
          {isData ? words.data : words.yaml}
        </Title>
        {!isAsked && (
          <Stack align="flex-start">
            <Text size="sm">{words.hidden}</Text>
            <Button size="xs" variant="default" onClick={() => setAsked(true)}>
              {words.reveal}
            </Button>
          </Stack>
        )}
        {error && <Problem error={error} retry={() => void refetch()} />}
        {isAsked && !data && !error && <Loader aria-label={live.loading} />}
        {data && kind.isSecret && <DataEntries entries={secretEntries(data)} isHidden />}
        {data && kind.type.resource === 'configmaps' && <DataEntries entries={configMapEntries(data)} />}
        {data && kind.type.resource === 'customresourcedefinitions' && (
          <Resources instance={instance} definition={data} />
        )}
        {data && !isData && <Yaml label={at.name} object={data} />}
      </Stack>
    </Paper>
  )
}

/** The YAML of an object, or why there is none. */
function Yaml({ label, object }: { readonly label: string; readonly object: KubeObject }) {
  const text = useMemo(() => {
    try {
      return textOf(object)
    } catch (error) {
      return asError(error)
    }
  }, [object])
  return text instanceof Error ? <Problem error={text} /> : <YamlField label={label} text={text} />
}

/** Links to the objects of a CustomResourceDefinition, one for each served version. */
function Resources({ instance, definition }: { readonly instance: string; readonly definition: KubeObject }) {
  const words = useObjectWords()
  const { joint } = useWords()
  const { group, names, versions } = definition.spec as {
    group: string
    names: { plural: string; kind: string }
    versions: readonly { name: string; served: boolean }[]
  }
  return (
    <>
      {versions
        .filter(({ served }) => served)
        .map(({ name: version }) => (
          <Anchor
            key={version}
            component={Link}
            to="/instances/$name/objects/$kind"
            params={{ name: instance, kind: nameOfType({ resource: names.plural, version, group }) } as never}
            size="sm"
          >
            {words.resourcesOf(names.kind)}
            {joint.aside(version)}
          </Anchor>
        ))}
    </>
  )
}
