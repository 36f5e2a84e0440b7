import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Cluster } from '../../proto/gen/kairship/cluster_pb.js'
import { useClusterWords } from '../words/clusters.js'
import { useNotYetWords } from '../words/not-yet.js'
import { CheckThenWrite, useCheckedWrite } from '../writes/checked-write.js'
import { Dialog } from '../writes/dialog.js'
import { differences, fieldsOf, readLabels, readTaints, readZones } from './cluster-fields.js'
import { Changes, ClusterForm, isRight } from './cluster-form.js'
import { service } from './clusters.js'

/**
 * Edits a cluster's labels, taints and location. The server shows what it would store before it is stored, and refuses the change where the cluster
 * changed meanwhile.
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
  const notYet = useNotYetWords()
  // The cluster when the form opened; the list's version goes on changing.
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
  const checkedWrite = useCheckedWrite(
    fields,
    async () => (await service.updateJoinedCluster({ ...request, dryRun: true })).cluster,
    async () => {
      await service.updateJoinedCluster(request)
      close()
    },
  )
  const stored = checkedWrite.checked?.answer
  const isChanged = differences(before, fields).length > 0
  return (
    <Dialog onClose={close} title={words.editTitle(name)} size="lg" closeOnClickOutside={!isChanged}>
      <Stack>
        <ClusterForm fields={fields} change={setFields} />
        <Changes before={before} after={stored ? fieldsOf(stored) : fields} />
        <CheckThenWrite
          of={checkedWrite}
          notYet={!isChanged ? notYet.noChange : isRight(fields) ? undefined : notYet.wrong}
          words={{ check: words.check, write: words.save }}
          accepted={
            <Text size="sm" role="status">
              {words.accepted}
            </Text>
          }
          before={
            <Button variant="default" onClick={close}>
              {words.cancel}
            </Button>
          }
          justify="flex-end"
        />
      </Stack>
    </Dialog>
  )
}
