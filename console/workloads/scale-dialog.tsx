import { Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClusterProviderSummary } from '../../proto/gen/kairship/types_pb.js'
import { Problem } from '../failures/problem.js'
import { KubeApi } from '../kube/kube-api.js'
import type { ObjectAddress } from '../kube/object.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { useNotYetWords } from '../words/not-yet.js'
import { useObjectWords } from '../words/objects.js'
import { useWords } from '../words/use-words.js'
import { Dialog } from '../writes/dialog.js'
import { useWrite } from '../writes/use-write.js'

/** A dialog that sets a template's replicas and shows how many its clusters have now. */
export function ScaleDialog({
  name,
  instance,
  at,
  clusters,
  scale,
  close,
}: {
  readonly name: string
  readonly instance: string
  readonly at: ObjectAddress
  readonly clusters: readonly ClusterProviderSummary[]
  readonly scale: (replicas: number) => Promise<unknown>
  readonly close: () => void
}) {
  const words = useObjectWords()
  const notYet = useNotYetWords()
  const { joint } = useWords()
  const template = useQuery({
    queryKey: ['object', instance, at],
    queryFn: ({ signal }) => new KubeApi(instance).get(at, signal),
    staleTime: 0,
  })
  const spec = template.data?.spec as { replicas?: number } | undefined
  const now = spec?.replicas
  const [wanted, setWanted] = useState<number>()
  const { busy: isBusy, error: problem, run: start } = useWrite()
  const replicas = wanted ?? now
  const refusal =
    now === undefined
      ? notYet.reading
      : replicas === undefined || replicas === now
        ? notYet.noChange
        : undefined
  return (
    <Dialog onClose={close} title={words.scaleTitle(name)} centered>
      <Stack
        component="form"
        onSubmit={event => {
          event.preventDefault()
          // Browsers submit a form with one field on Enter, also without a submit button.
          if (replicas !== undefined && refusal === undefined && !isBusy)
            void start(() => scale(replicas), close)
        }}
      >
        {template.error && <Problem error={template.error} retry={() => void template.refetch()} />}
        <NumberInput
          label={words.replicas}
          description={words.replicasNow(
            now ?? '…',
            joint.names(clusters.map(({ name: cluster, replicas: has }) => `${cluster} ${has}`)),
          )}
          min={0}
          max={1_000_000}
          allowDecimal={false}
          allowNegative={false}
          value={replicas ?? ''}
          onChange={value => setWanted(value === '' ? undefined : Number(value))}
          data-autofocus
        />
        {replicas === 0 && <Text size="sm">{words.scaleToNone}</Text>}
        {problem && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {words.cancel}
          </Button>
          <RefusableButton type="submit" loading={isBusy} refusal={refusal}>
            {words.scale}
          </RefusableButton>
        </Group>
      </Stack>
    </Dialog>
  )
}
