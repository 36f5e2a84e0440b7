import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Problem } from '../failures/problem.js'
import { KubeError } from '../kube/kube-error.js'
import { shownName } from '../parts/shown-name.js'
import { useObjectWords } from '../words/objects.js'

/** Says why a kind of an address is unknown: the instance does not serve it, or could not be asked. */
export function NoKind({
  instance,
  name,
  error,
}: {
  readonly instance: string
  readonly name: string
  readonly error: Error
}) {
  const words = useObjectWords()
  if (!(error instanceof KubeError && error.status === 404)) return <Problem error={error} />
  return (
    <Stack align="flex-start">
      <Text>{words.noKind(shownName(name))}</Text>
      <Anchor
        component={Link}
        to="/instances/$name/objects/$kind"
        params={{ name: instance, kind: 'customresourcedefinitions' } as never}
        size="sm"
      >
        {words.servedKinds}
      </Anchor>
    </Stack>
  )
}
