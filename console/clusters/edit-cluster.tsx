import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Cluster } from '../../proto/gen/kairship/cluster_pb.js'
import { Dialog } from '../parts/dialog.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { useClusterWords } from '../words/clusters.js'
import { differences, fieldsOf, readLabels, readTaints, readZones } from './cluster-fields.js'
import { Changes, ClusterForm, isRight } from './cluster-form.js'
import { service } from './clusters.js'

/** Changes what people give a cluster. It says what changes before it is sent, and is refused where somebody else changed the cluster meanwhile. */
export function EditCluster({
  instance,
  cluster,
  close,
}: {
  readonly instance: string
  readonly cluster: Cluster
  readonly close: () => void
}) {
  const words = useClusterWords()
  // As it was when the form opened: what the list shows goes on changing.
  const [opened] = useState(cluster)
  const before = fieldsOf(opened)
  const [fields, setFields] = useState(before)
  const { metadata, spec } = opened
  const name = metadata?.name ?? ''
  const save = useAction(async () => {
    await service.updateJoinedCluster({
      instance,
      name,
      cluster: {
        metadata: {
          name,
          resourceVersion: metadata?.resourceVersion ?? '',
          labels: readLabels(fields.labels).value,
          annotations: metadata?.annotations ?? {},
        },
        spec: {
          roles: spec?.roles ?? [],
          managedBy: spec?.managedBy ?? '',
          aliasName: spec?.aliasName ?? '',
          providerName: fields.provider.trim(),
          region: fields.region.trim(),
          zones: readZones(fields.zones),
          taints: [...readTaints(fields.taints).value],
        },
      },
    })
    close()
  })
  const isChanged = differences(before, fields).length > 0
  return (
    <Dialog onClose={close} title={words.editTitle(name)} size="lg" closeOnClickOutside={!isChanged}>
      <Stack>
        <ClusterForm fields={fields} change={setFields} />
        <Changes before={before} after={fields} />
        {save.error && <Problem error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {words.cancel}
          </Button>
          <Button
            disabled={!isChanged || !isRight(fields)}
            loading={save.busy}
            onClick={() => void save.run()}
          >
            {words.save}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
