import { Autocomplete, Fieldset, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { adding, removing, setting, settingTexts } from '../../forms/changes.js'
import { at, list, text, texts } from '../../forms/reading.js'
import { RemoveRow } from '../../forms/remove-row.js'
import { Rows } from '../../forms/rows.js'
import { useObjectFormWords } from '../../words/object-forms.js'
import type { FieldsProps } from './form-props.js'
import { MOST_ROWS, newPath, RULES, Rule } from './ingress-rule.js'
import type { KindForm } from './object-form.js'
import { useObjectNames } from './object-names.js'

const TLS = ['spec', 'tls']

function IngressFields({ instance, object: { object, namespace }, apply }: FieldsProps) {
  const { ingress } = useObjectFormWords()
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
      {rules.length === 0 && at(spec, 'defaultBackend') !== undefined && (
        <Text size="sm">{ingress.defaultOnly}</Text>
      )}
      <Rows
        items={rules}
        most={MOST_ROWS}
        add={() => apply(adding(RULES, { host: '', http: { paths: [newPath('')] } }))}
        addLabel={ingress.addRule}
        row={(rule, index) => <Rule index={index} rule={rule} services={services} apply={apply} />}
      />
      <Certificates instance={instance} namespace={namespace} spec={spec} apply={apply} />
    </>
  )
}

/** TLS entries: hosts, and the Secret with their certificate. */
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
  const { ingress } = useObjectFormWords()
  const secrets = useObjectNames(instance, 'secrets', namespace)
  const all = list(at(spec, 'tls'))
  const hosts = list(at(spec, 'rules')).flatMap(rule => text(at(rule, 'host')) || [])
  return (
    <Fieldset legend={ingress.tls}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {ingress.tlsHelp}
        </Text>
        <Rows
          items={all}
          most={MOST_ROWS}
          add={() => apply(adding(TLS, { ...(hosts.length > 0 && { hosts }), secretName: '' }))}
          addLabel={ingress.addTls}
          row={(one, index) => (
            <Group align="flex-start" wrap="nowrap" role="group" aria-label={ingress.tlsRow(index + 1)}>
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
              <RemoveRow
                label={ingress.removeTls(index + 1)}
                remove={() => apply(removing([...TLS, index]))}
              />
            </Group>
          )}
        />
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
