import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Problem } from '../failures/problem.js'
import { SeveralSelect } from '../parts/several-select.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { usePromoteWords } from '../words/promote.js'
import { Dialog } from '../writes/dialog.js'
import { KeepsFocus } from '../writes/keeps-focus.js'
import { type Promotion, promote, servicesBeside } from './promoted.js'
import { type PromotedKind, promotedKinds } from './promoted-kind.js'

type Step = 'choosing' | 'trying' | 'tried' | 'sending'

/** A dialog that asks which Services are promoted too, runs a dry run, and then promotes, once. */
export function PromotionDialog({
  kind,
  of,
  close,
  done,
}: {
  readonly kind: PromotedKind
  readonly of: Omit<Promotion, 'services'>
  readonly close: () => void
  readonly done: () => void
}) {
  const words = usePromoteWords()
  const [services, setServices] = useState<readonly string[]>([])
  const [step, setStep] = useState<Step>('choosing')
  const [problem, setProblem] = useState<Error>()
  const { instance, cluster, namespace, name } = of
  const beside = useQuery({
    queryKey: ['services beside', instance, cluster, namespace],
    enabled: kind === 'deployments',
    queryFn: ({ signal }) => servicesBeside({ instance, cluster, namespace }, signal),
    staleTime: 0,
    gcTime: 0,
  })
  const run = async (dryRun: boolean) => {
    setProblem(undefined)
    setStep(dryRun ? 'trying' : 'sending')
    try {
      await promote(kind, { instance, cluster, namespace, name, services }, dryRun)
      if (dryRun) setStep('tried')
      else done()
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)))
      setStep('choosing')
    }
  }
  const isBusy = step === 'trying' || step === 'sending'
  return (
    <Dialog onClose={close} title={words.dialog(`${promotedKinds[kind]} ${namespace}/${name}`)}>
      <Stack>
        {kind === 'deployments' && (
          <SeveralSelect
            label={words.services}
            description={words.servicesHelp}
            disabled={isBusy}
            data={[...(beside.data ?? [])]}
            value={[...services]}
            onChange={next => {
              setServices(next)
              setStep('choosing')
            }}
          />
        )}
        {beside.error && <Problem error={beside.error} retry={() => void beside.refetch()} />}
        <Text size="sm">{words.makes}</Text>
        <List size="sm">
          <List.Item>{words.makesTemplate(`${promotedKinds[kind]} ${namespace}/${name}`)}</List.Item>
          {services.map(service => (
            <List.Item key={service}>{words.makesTemplate(`Service ${namespace}/${service}`)}</List.Item>
          ))}
          {kind === 'deployments' && <List.Item>{words.makesConfiguration}</List.Item>}
          <List.Item>{words.makesPolicy(cluster)}</List.Item>
        </List>
        {problem && <Problem error={problem} />}
        {(step === 'tried' || step === 'sending') && (
          <Alert color="green" variant="outline" role="status">
            {words.accepted}
          </Alert>
        )}
        <KeepsFocus step={step === 'tried' || step === 'sending'} label={words.promote}>
          <Group>
            {step === 'tried' || step === 'sending' ? (
              <RefusableButton
                key="promote"
                refusal={undefined}
                loading={step === 'sending'}
                onClick={() => void run(false)}
              >
                {words.promote}
              </RefusableButton>
            ) : (
              <RefusableButton
                key="try"
                refusal={undefined}
                loading={step === 'trying'}
                onClick={() => void run(true)}
              >
                {words.tryIt}
              </RefusableButton>
            )}
            <Button variant="default" disabled={step === 'sending'} onClick={close}>
              {words.cancel}
            </Button>
          </Group>
        </KeepsFocus>
      </Stack>
    </Dialog>
  )
}
