import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Cluster } from '../../proto/gen/kairship/cluster_pb.js'
import { Problem } from '../failures/problem.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { useClusterWords } from '../words/clusters.js'
import { useNotYetWords } from '../words/not-yet.js'
import { Dialog } from '../writes/dialog.js'
import { useAction } from '../writes/use-action.js'
import { fieldsOf } from './cluster-fields.js'
import { Changes } from './cluster-form.js'
import { service } from './clusters.js'

/** The taint that Karmada sets on a cordoned cluster. */
const UNSCHEDULABLE = 'cluster.karmada.io/unschedulable'

export const isCordoned = ({ spec }: Cluster): boolean =>
  spec?.taints.some(({ key }) => key === UNSCHEDULABLE) ?? false

/** Cordons or uncordons a cluster, after the server has shown what it would store. */
export function CordonCluster({
  instance,
  cluster,
  close,
}: {
  readonly instance: string
  readonly cluster: Cluster
  readonly close: () => void
}) {
  const words = useClusterWords()
  const notYet = useNotYetWords()
  // The cluster when the dialog opened; the list's version goes on changing.
  const [opened] = useState(cluster)
  const name = opened.metadata?.name ?? ''
  const takesBack = isCordoned(opened)
  const send = (dryRun: boolean) =>
    takesBack
      ? service.uncordonJoinedCluster({ instance, name, dryRun })
      : service.cordonJoinedCluster({ instance, name, dryRun })
  const tried = useQuery({
    queryKey: ['cordon', instance, name, takesBack],
    queryFn: () => send(true),
    staleTime: 0,
    gcTime: 0,
  })
  const act = useAction(async () => {
    await send(false)
    close()
  })
  const problem = act.error ?? tried.error
  return (
    <Dialog onClose={close} title={takesBack ? words.uncordonTitle(name) : words.cordonTitle(name)}>
      <Stack>
        <Text size="sm">{takesBack ? words.uncordonHelp : words.cordonHelp}</Text>
        {tried.data && (
          <>
            <Changes before={fieldsOf(opened)} after={fieldsOf(tried.data)} />
            <Text size="sm" role="status">
              {words.accepted}
            </Text>
          </>
        )}
        {problem && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {words.cancel}
          </Button>
          <RefusableButton
            refusal={tried.data ? undefined : notYet.trying}
            loading={act.busy}
            onClick={() => void act.run()}
          >
            {takesBack ? words.uncordon : words.cordon}
          </RefusableButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
