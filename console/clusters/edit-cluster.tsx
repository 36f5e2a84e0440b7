import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Cluster } from '../../proto/gen/kairship/cluster_pb.js'
import { Dialog } from '../parts/dialog.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { useClusterWords } from '../words/clusters.js'
import {
  type ClusterFields,
  differences,
  fieldsOf,
  readLabels,
  readTaints,
  readZones,
} from './cluster-fields.js'
import { Changes, ClusterForm, isRight } from './cluster-form.js'
import { service } from './clusters.js'

/**
 * Changes what people give a cluster. What the server would store is shown before it is, and it is refused where somebody else changed the
 * cluster meanwhile.
 */
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
  const request = {
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
  }
  // What was checked: whoever changes something afterwards checks again.
  const [checked, setChecked] = useState<{ readonly fields: ClusterFields; readonly stored: ClusterFields }>()
  const accepted = checked?.fields === fields ? checked : undefined
  const check = useAction(async () => {
    const { cluster: stored } = await service.updateJoinedCluster({ ...request, dryRun: true })
    if (stored) setChecked({ fields, stored: fieldsOf(stored) })
  })
  const save = useAction(async () => {
    await service.updateJoinedCluster(request)
    close()
  })
  const problem = save.error ?? check.error
  const isChanged = differences(before, fields).length > 0
  return (
    <Dialog onClose={close} title={words.editTitle(name)} size="lg" closeOnClickOutside={!isChanged}>
      <Stack>
        <ClusterForm fields={fields} change={setFields} />
        <Changes before={before} after={accepted?.stored ?? fields} />
        {accepted && (
          <Text size="sm" role="status">
            {words.accepted}
          </Text>
        )}
        {problem && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {words.cancel}
          </Button>
          <Button
            variant={accepted ? 'default' : 'filled'}
            disabled={!isChanged || !isRight(fields)}
            loading={check.busy}
            onClick={() => void check.run()}
          >
            {words.check}
          </Button>
          <Button disabled={!accepted} loading={save.busy} onClick={() => void save.run()}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
