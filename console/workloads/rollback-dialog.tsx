import { Button, Group, List, Loader, Radio, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListRevisionsResponse } from '../../proto/gen/kairship/revision_pb.js'
import { YamlComparison } from '../editor/code/lazy.js'
import { Problem } from '../failures/problem.js'
import { Ago } from '../parts/time.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { useNotYetWords } from '../words/not-yet.js'
import { useObjectWords } from '../words/objects.js'
import { useWords } from '../words/use-words.js'
import { Dialog } from '../writes/dialog.js'
import { useWrite } from '../writes/use-write.js'

/** Shows the earlier pod templates that the members keep, compares one with the current template, and rolls back to it. */
export function RollbackDialog({
  name,
  revisions,
  rollBack,
  close,
}: {
  readonly name: string
  readonly revisions: (signal: AbortSignal) => Promise<ListRevisionsResponse>
  readonly rollBack: (revision: string, dryRun: boolean) => Promise<unknown>
  readonly close: () => void
}) {
  const words = useObjectWords()
  const notYet = useNotYetWords()
  const { live, joint } = useWords()
  const { data, error, refetch } = useQuery({
    queryKey: ['revisions', name],
    queryFn: ({ signal }) => revisions(signal),
    staleTime: 0,
    gcTime: 0,
  })
  const [chosen, setChosen] = useState('')
  const { busy: isBusy, error: problem, run: start } = useWrite()
  const items = data?.items ?? []
  const current = items.find(item => item.current)
  const next = items.find(({ id }) => id === chosen)
  return (
    <Dialog onClose={close} title={words.rollBackTitle(name)} size="xl" centered>
      <Stack>
        {error && <Problem error={error} retry={() => void refetch()} />}
        {!data && !error && <Loader aria-label={live.loading} />}
        {data && items.length < 2 && <Text size="sm">{words.noRevisions}</Text>}
        <Radio.Group label={words.revision} value={chosen} onChange={setChosen}>
          <Stack gap="xs" mt="xs">
            {items.map(
              ({ id, images, creationTimestamp, current: isNow, refusal, changeCause, clusters }) => (
                <Radio
                  key={id}
                  value={id}
                  disabled={isNow || refusal !== ''}
                  label={
                    <Text size="sm" component="span">
                      {images.join(', ')} · <Ago time={Number(creationTimestamp)} />
                      {isNow && ` · ${words.now}`}
                    </Text>
                  }
                  description={
                    refusal ||
                    [changeCause, joint.names(clusters.map(({ cluster }) => cluster))]
                      .filter(Boolean)
                      .join(' · ')
                  }
                />
              ),
            )}
          </Stack>
        </Radio.Group>
        {(data?.unread.length ?? 0) > 0 && (
          <List size="sm">
            {data?.unread.map(({ cluster, message }) => (
              <List.Item key={cluster}>{joint.of(cluster, message)}</List.Item>
            ))}
          </List>
        )}
        {next && current && (
          <YamlComparison
            before={{ label: words.templateNow, text: pretty(current.data) }}
            after={{ label: words.templateThen, text: pretty(next.data) }}
          />
        )}
        {problem && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {words.cancel}
          </Button>
          <RefusableButton
            loading={isBusy}
            refusal={next ? undefined : notYet.choose(words.revision)}
            onClick={() =>
              start(async () => {
                // A dry run first: the control plane checks it before anything is stored.
                await rollBack(chosen, true)
                await rollBack(chosen, false)
              }, close)
            }
          >
            {words.rollBack}
          </RefusableButton>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** One field a line, for the comparison. */
const pretty = (json: string): string => JSON.stringify(JSON.parse(json), undefined, 2)
