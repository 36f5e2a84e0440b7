import { Fieldset, Group, Select, Stack, TextInput } from '@mantine/core'
import { useRefusal } from '../../editor/refusals.js'
import { adding, removing, setting } from '../../forms/changes.js'
import { isDnsLabel, isPort } from '../../forms/names.js'
import { at, list, optionalNumber, text, textOrNumber } from '../../forms/reading.js'
import { RemoveRow } from '../../forms/remove-row.js'
import { Rows } from '../../forms/rows.js'
import { WholeNumber } from '../../forms/whole-number.js'
import { useObjectFormWords } from '../../words/object-forms.js'
import type { FieldsProps } from './form-props.js'

const PROTOCOLS = ['TCP', 'UDP', 'SCTP']

const PORTS = ['spec', 'ports']
const PORT_NUMBERS = { min: 1, max: 65_535, hideControls: true } as const
/** The most ports that are shown as fields. */
const MOST_PORTS = 50

/** Fields for the ports of a Service. */
export function Ports({
  spec,
  type,
  apply,
}: {
  readonly spec: unknown
  readonly type: string
  readonly apply: FieldsProps['apply']
}) {
  const { service } = useObjectFormWords()
  const refused = useRefusal('spec.ports')
  const ports = list(at(spec, 'ports'))
  return (
    <Fieldset legend={service.ports}>
      <Stack gap="xs">
        <Rows
          items={ports}
          most={MOST_PORTS}
          refused={refused}
          add={() => apply(adding(PORTS, newPort(ports)))}
          addLabel={service.addPort}
          row={(port, index) => (
            <PortRow
              index={index}
              ports={ports}
              port={port}
              hasNode={type === 'NodePort' || type === 'LoadBalancer'}
              apply={apply}
            />
          )}
        />
      </Stack>
    </Fieldset>
  )
}

/** A new port. Where there are several, each needs a name. */
function newPort(ports: readonly unknown[]): object {
  const taken = ports.map(port => optionalNumber(at(port, 'port')))
  let port = 80
  while (taken.includes(port)) port = port === 80 ? 8080 : port + 1
  return ports.length === 0 ? { port } : { name: `port-${port}`, port }
}

function PortRow({
  index,
  ports,
  port,
  hasNode,
  apply,
}: {
  readonly index: number
  readonly ports: readonly unknown[]
  readonly port: unknown
  readonly hasNode: boolean
  readonly apply: FieldsProps['apply']
}) {
  const words = useObjectFormWords()
  const { service } = words
  const field = (name: string) => [...PORTS, index, name]
  const name = text(at(port, 'name'))
  const target = textOrNumber(at(port, 'targetPort'))
  const protocol = text(at(port, 'protocol')) || 'TCP'
  const number = optionalNumber(at(port, 'port'))
  const others = ports.filter((_, other) => other !== index)
  const nameProblem =
    name === ''
      ? ports.length > 1 && service.nameMissing
      : others.some(other => text(at(other, 'name')) === name)
        ? service.nameTwice
        : !isDnsLabel(name) && service.nameWrong
  const isTwice = others.some(
    other =>
      optionalNumber(at(other, 'port')) === number && (text(at(other, 'protocol')) || 'TCP') === protocol,
  )
  const refusal = {
    name: useRefusal(`spec.ports[${index}].name`),
    port: useRefusal(`spec.ports[${index}].port`),
    target: useRefusal(`spec.ports[${index}].targetPort`),
    node: useRefusal(`spec.ports[${index}].nodePort`),
  }
  return (
    <Group align="flex-start" role="group" aria-label={service.portRow(index + 1)}>
      <WholeNumber
        label={service.port}
        w={100}
        {...PORT_NUMBERS}
        required
        value={number}
        error={(number === undefined ? service.portMissing : isTwice && service.portTwice) || refusal.port}
        set={value => apply(setting(field('port'), value))}
      />
      <TextInput
        label={service.target}
        placeholder={number === undefined ? '' : String(number)}
        w={140}
        value={target}
        error={(target !== '' && !isPort(target) && service.targetWrong) || refusal.target}
        onChange={event => {
          const { value } = event.currentTarget
          apply(setting(field('targetPort'), /^[1-9]\d*$/.test(value) ? Number(value) : value))
        }}
      />
      <Select
        label={service.protocol}
        w={100}
        allowDeselect={false}
        data={[...new Set([...PROTOCOLS, protocol])]}
        value={protocol}
        onChange={next => apply(setting(field('protocol'), next ?? undefined))}
      />
      <TextInput
        label={service.portName}
        w={150}
        value={name}
        error={nameProblem || refusal.name}
        onChange={event => apply(setting(field('name'), event.currentTarget.value))}
      />
      {hasNode && (
        <WholeNumber
          label={service.nodePort}
          placeholder={service.nodePortNone}
          w={130}
          {...PORT_NUMBERS}
          value={optionalNumber(at(port, 'nodePort'))}
          error={refusal.node}
          set={value => apply(setting(field('nodePort'), value))}
        />
      )}
      <RemoveRow label={service.removePort(index + 1)} remove={() => apply(removing([...PORTS, index]))} />
    </Group>
  )
}
