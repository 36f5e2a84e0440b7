import { Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useRefusal } from '../../editor/refusals.js'
import { adding, removing, setting } from '../../forms/changes.js'
import { at, list, number, optionalNumber, text, textOrNumber } from '../../forms/reading.js'
import { RemoveRow } from '../../forms/remove-row.js'
import { Rows } from '../../forms/rows.js'
import { WholeNumber } from '../../forms/whole-number.js'
import { useObjectFormWords } from '../../words/object-forms.js'
import type { FieldsProps } from './form-props.js'
import type { KindForm } from './object-form.js'

/** The kinds that can be scaled, and their API versions. */
const TARGETS: Readonly<Record<string, string>> = { Deployment: 'apps/v1', StatefulSet: 'apps/v1' }
const TARGET = ['spec', 'scaleTargetRef']
const METRICS = ['spec', 'metrics']
const WINDOW = ['spec', 'behavior', 'scaleDown', 'stabilizationWindowSeconds']
const MOST_METRICS = 20
/** Karmada's default of the scale-down window: it scales down to the highest recommendation of the last five minutes. */
const USUAL_WINDOW_S = 300

function AutoscalerFields({ object: { object }, apply }: FieldsProps) {
  const { autoscaler } = useObjectFormWords()
  const spec = at(object, 'spec')
  const kind = text(at(spec, 'scaleTargetRef', 'kind'))
  const [least, most] = [optionalNumber(at(spec, 'minReplicas')), optionalNumber(at(spec, 'maxReplicas'))]
  const metrics = list(at(spec, 'metrics'))
  const refusal = {
    name: useRefusal('spec.scaleTargetRef.name'),
    least: useRefusal('spec.minReplicas'),
    most: useRefusal('spec.maxReplicas'),
    metrics: useRefusal('spec.metrics'),
  }
  const count = { min: 1, max: 1_000_000 } as const
  return (
    <>
      <Group grow align="flex-start">
        <Select
          label={autoscaler.kind}
          allowDeselect={false}
          data={[...new Set([...Object.keys(TARGETS), ...(kind ? [kind] : [])])]}
          value={kind}
          onChange={next => {
            if (next === null) return
            const apiVersion = TARGETS[next] ?? text(at(spec, 'scaleTargetRef', 'apiVersion'))
            apply(setting([...TARGET, 'apiVersion'], apiVersion), setting([...TARGET, 'kind'], next))
          }}
        />
        <TextInput
          label={autoscaler.target}
          required
          value={text(at(spec, 'scaleTargetRef', 'name'))}
          error={refusal.name}
          onChange={event => apply(setting([...TARGET, 'name'], event.currentTarget.value))}
        />
      </Group>
      <Group grow align="flex-start">
        <WholeNumber
          label={autoscaler.least}
          {...count}
          value={least}
          placeholder="1"
          error={refusal.least}
          set={value => apply(setting(['spec', 'minReplicas'], value))}
        />
        <WholeNumber
          label={autoscaler.most}
          {...count}
          required
          value={most}
          error={
            (most === undefined ? autoscaler.mostMissing : most < (least ?? 1) && autoscaler.mostWrong) ||
            refusal.most
          }
          set={value => apply(setting(['spec', 'maxReplicas'], value))}
        />
        <WholeNumber
          label={autoscaler.window}
          description={autoscaler.windowHelp(USUAL_WINDOW_S)}
          {...{ min: 0, max: 3600 }}
          value={optionalNumber(at(spec, 'behavior', 'scaleDown', 'stabilizationWindowSeconds'))}
          placeholder={String(USUAL_WINDOW_S)}
          set={value => apply(setting(WINDOW, value))}
        />
      </Group>
      <Fieldset legend={autoscaler.metrics}>
        <Stack gap="xs">
          <Rows
            items={metrics}
            most={MOST_METRICS}
            refused={refusal.metrics}
            add={() => apply(adding(METRICS, newMetric(metrics)))}
            addLabel={autoscaler.addMetric}
            row={(metric, index) => <Metric index={index} metric={metric} apply={apply} />}
          />
        </Stack>
      </Fieldset>
    </>
  )
}

function newMetric(metrics: readonly unknown[]): object {
  const hasCpu = metrics.some(metric => at(metric, 'resource', 'name') === 'cpu')
  return {
    type: 'Resource',
    resource: {
      name: hasCpu ? 'memory' : 'cpu',
      target: { type: 'Utilization', averageUtilization: 70 },
    },
  }
}

function Metric({
  index,
  metric,
  apply,
}: {
  readonly index: number
  readonly metric: unknown
  readonly apply: FieldsProps['apply']
}) {
  const { autoscaler } = useObjectFormWords()
  const type = text(at(metric, 'type'))
  const target = [...METRICS, index, 'resource', 'target']
  const mode = text(at(metric, 'resource', 'target', 'type'))
  const refusal = {
    use: useRefusal(`spec.metrics[${index}].resource.target.averageUtilization`),
    value: useRefusal(`spec.metrics[${index}].resource.target.averageValue`),
  }
  const value = textOrNumber(at(metric, 'resource', 'target', 'averageValue'))
  return (
    <Group align="flex-start" role="group" aria-label={autoscaler.metricRow(index + 1)}>
      {type === 'Resource' ? (
        <>
          <Select
            label={autoscaler.resource}
            w={140}
            allowDeselect={false}
            data={[...new Set(['cpu', 'memory', text(at(metric, 'resource', 'name'))].filter(Boolean))]}
            value={text(at(metric, 'resource', 'name'))}
            onChange={next => apply(setting([...METRICS, index, 'resource', 'name'], next ?? undefined))}
          />
          <Select
            label={autoscaler.mode}
            w={240}
            allowDeselect={false}
            data={Object.entries(autoscaler.modes).map(([mode, label]) => ({ value: mode, label }))}
            value={mode}
            onChange={next => {
              if (next === null || next === mode) return
              const initial = next === 'Utilization' ? { averageUtilization: 70 } : { averageValue: '500m' }
              apply(setting(target, { type: next, ...initial }))
            }}
          />
          {mode === 'Utilization' ? (
            <WholeNumber
              label={autoscaler.use}
              w={120}
              {...{ min: 1, max: 10_000, suffix: ' %' }}
              value={number(at(metric, 'resource', 'target', 'averageUtilization')) || undefined}
              error={refusal.use}
              set={next => apply(setting([...target, 'averageUtilization'], next))}
            />
          ) : (
            <TextInput
              label={autoscaler.value}
              w={120}
              value={value}
              error={
                (!/^\d+(\.\d+)?([numkMGTPE]|[KMGTPE]i)?$/.test(value) && autoscaler.valueWrong) ||
                refusal.value
              }
              onChange={event => apply(setting([...target, 'averageValue'], event.currentTarget.value))}
            />
          )}
        </>
      ) : (
        <Text size="sm" style={{ flex: 1 }}>
          {autoscaler.otherMetric(type)}
        </Text>
      )}
      <RemoveRow
        label={autoscaler.removeMetric(index + 1)}
        remove={() => apply(removing([...METRICS, index]))}
      />
    </Group>
  )
}

export const autoscalerForm: KindForm = {
  shape: {
    spec: {
      scaleTargetRef: {},
      behavior: { scaleDown: {} },
      metrics: [{ resource: { target: {} } }],
    },
  },
  Fields: AutoscalerFields,
}
