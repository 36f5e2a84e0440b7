import { Alert, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useClusterWords } from '../words/clusters.js'
import { Dialog } from '../writes/dialog.js'
import { RemovalForm } from '../writes/removal-form.js'
import { useAction } from '../writes/use-action.js'
import { service } from './clusters.js'
import { PlacedHere } from './placed-here.js'

/** The longest time of a removal, milliseconds: it waits until Karmada has removed what it placed there. */
const REMOVAL_MS = 300_000

/** Removes a cluster from its instance, after saying what is removed with it. */
export function RemoveCluster({
  instance,
  name,
  close,
}: {
  readonly instance: string
  readonly name: string
  readonly close: () => void
}) {
  const words = useClusterWords()
  const navigate = useNavigate()
  const [left, setLeft] = useState<readonly string[]>()
  const leave = () => void navigate({ to: '/instances/$name/clusters', params: { name: instance } } as never)
  // A dry run first: the server says whether the cluster can be removed, and what would be left.
  const tried = useQuery({
    queryKey: ['removal', instance, name],
    queryFn: ({ signal }) => service.removeJoinedCluster({ instance, name, dryRun: true }, { signal }),
    staleTime: 0,
    gcTime: 0,
  })
  const remove = useAction(async () => {
    const { leftInCluster } = await service.removeJoinedCluster({ instance, name }, { timeoutMs: REMOVAL_MS })
    if (leftInCluster.length === 0) leave()
    else setLeft(leftInCluster)
  })
  if (left)
    return (
      <Dialog onClose={leave} title={words.removed(name)}>
        <Alert
          color="orange"
          variant="outline"
          title={words.leftBehind}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          <Sentences of={left} />
        </Alert>
      </Dialog>
    )
  return (
    <Dialog onClose={close} title={words.removeTitle(name)} size="lg">
      <RemovalForm
        name={name}
        words={words}
        error={remove.error ?? tried.error ?? undefined}
        isAccepted={tried.data !== undefined}
        busy={remove.busy}
        remove={() => void remove.run()}
        close={close}
      >
        <Text size="sm">{words.removeHelp}</Text>
        <PlacedHere instance={instance} cluster={name} />
        {tried.data && (
          <>
            {tried.data.leftInCluster.length > 0 && (
              <>
                <Text size="sm">{words.wouldBeLeft}</Text>
                <Sentences of={tried.data.leftInCluster} />
              </>
            )}
            <Text size="sm" role="status">
              {words.accepted}
            </Text>
          </>
        )}
      </RemovalForm>
    </Dialog>
  )
}

const Sentences = ({ of }: { readonly of: readonly string[] }) => (
  <List size="sm">
    {of.map(sentence => (
      <List.Item key={sentence}>{sentence}</List.Item>
    ))}
  </List>
)
