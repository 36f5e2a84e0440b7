import { Autocomplete, Button, Fieldset, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { adding, removing, setting, settingTexts } from '../../forms/changes.js'
import { at, list, text, texts } from '../../forms/reading.js'
import { RemoveRow } from '../../forms/remove-row.js'
import { useObjectFormWords } from '../../words/object-forms.js'
import type { FieldsProps } from './form-props.js'
import { MOST_ROWS, newPath, RULES, Rule } from './ingress-rule.js'
import type { KindForm } from './object-form.js'
import { useObjectNames } from './object-names.js'

const TLS = ['spec', 'tls']

function IngressFields({ instance, object: { object, namespace }, apply }: FieldsProps) {
  const words = useObjectFormWords()
  const { ingress } = words
  const spec = at(object, 'spec')
  const rules = list(at(spec, 'rules'))
  const services = useObjectNames(instance, 'services', namespace)
  return (
    <>
      <TextInput
        label={ingress.class}
        description={ingress.classHelp}
        value={text(at(spec, 'ingressClassName'))}
        onChange={event => apply(setting(['spec', 'ingressClassName'], event.currentTarget.value))}
      />
      {rules.slice(0, MOST_ROWS).map((rule, index) => (
        <Rule
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no names, and may be alike
          key={index}
          index={index}
          rule={rule}
          services={services}
          apply={apply}
        />
      ))}
      {rules.length > MOST_ROWS && <Text size="sm">{words.further(rules.length - MOST_ROWS)}</Text>}
      {rules.length === 0 && at(spec, 'defaultBackend') !== undefined && (
        <Text size="sm">{ingress.defaultOnly}</Text>
      )}
      <Button
        variant="default"
        size="xs"
        style={{ alignSelf: 'start' }}
        disabled={rules.length >= MOST_ROWS}
        onClick={() => apply(adding(RULES, { host: '', http: { paths: [newPath('')] } }))}
      >
        {ingress.addRule}
      </Button>
      <Certificates instance={instance} namespace={namespace} spec={spec} apply={apply} />
    </>
  )
}

/** Certificates: hosts, and the Secret that has the key of each. */
function Certificates({
  instance,
  namespace,
  spec,
  apply,
}: {
  readonly instance: string
  readonly namespace: string
  readonly spec: unknown
  readonly apply: FieldsProps['apply']
}) {
  const words = useObjectFormWords()
  const { ingress } = words
  const secrets = useObjectNames(instance, 'secrets', namespace)
  const all = list(at(spec, 'tls'))
  const hosts = list(at(spec, 'rules')).flatMap(rule => text(at(rule, 'host')) || [])
  return (
    <Fieldset legend={ingress.tls}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {ingress.tlsHelp}
        </Text>
        {all.slice(0, MOST_ROWS).map((one, index) => (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: they have no names
            key={index}
            align="flex-start"
            wrap="nowrap"
            role="group"
            aria-label={ingress.tlsRow(index + 1)}
          >
            <TagsInput
              label={ingress.tlsHosts}
              style={{ flex: 1 }}
              data={hosts}
              splitChars={[',', ' ']}
              value={[...texts(at(one, 'hosts'))]}
              onChange={next => apply(settingTexts([...TLS, index, 'hosts'], next))}
            />
            <Autocomplete
              label={ingress.secret}
              style={{ flex: 1 }}
              data={[...secrets]}
              value={text(at(one, 'secretName'))}
              onChange={next => apply(setting([...TLS, index, 'secretName'], next))}
            />
            <RemoveRow label={ingress.removeTls(index + 1)} remove={() => apply(removing([...TLS, index]))} />
          </Group>
        ))}
        {all.length > MOST_ROWS && <Text size="sm">{words.further(all.length - MOST_ROWS)}</Text>}
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'start' }}
          disabled={all.length >= MOST_ROWS}
          onClick={() => apply(adding(TLS, { ...(hosts.length > 0 && { hosts }), secretName: '' }))}
        >
          {ingress.addTls}
        </Button>
      </Stack>
    </Fieldset>
  )
}

export const ingressForm: KindForm = {
  shape: {
    spec: {
      rules: [{ http: { paths: [{ backend: { service: { port: {} } } }] } }],
      tls: [{ hosts: [] }],
    },
  },
  Fields: IngressFields,
}
