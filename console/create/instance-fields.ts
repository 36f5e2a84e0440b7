/** The fields of the form for a new instance. */
export interface InstanceFields {
  readonly mode: 'adopt' | 'install'
  readonly name: string
  readonly alias: string
  readonly description: string
  readonly secretNamespace: string
  readonly secretName: string
  readonly secretKey: string
  readonly namespace: string
  readonly hostNamespace: string
  readonly hostName: string
  readonly deletionPolicy: 'Retain' | 'Delete'
}

export const NO_INSTANCE: InstanceFields = {
  mode: 'adopt',
  name: '',
  alias: '',
  description: '',
  secretNamespace: 'karmada-instances',
  secretName: '',
  secretKey: '',
  namespace: '',
  hostNamespace: '',
  hostName: '',
  deletionPolicy: 'Retain',
}

/** The request of the form, with only the fields of its mode. */
export function requestOf(fields: InstanceFields) {
  const said = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, value.trim()]),
  ) as unknown as Record<keyof InstanceFields, string>
  const common = {
    ...(said.alias && { alias: said.alias }),
    ...(said.description && { description: said.description }),
  }
  const secret = {
    namespace: said.secretNamespace,
    name: said.secretName,
    ...(said.secretKey && { key: said.secretKey }),
  }
  const host = said.hostName && {
    hostCluster: { secretRef: { namespace: said.hostNamespace, name: said.hostName } },
  }
  const install = { ...(said.namespace && { namespace: said.namespace }), ...host }
  return {
    data: {
      metadata: { name: said.name },
      spec:
        fields.mode === 'adopt'
          ? { ...common, kubeconfigSecretRef: secret }
          : { ...common, deletionPolicy: said.deletionPolicy, install },
    },
  }
}

/** The command that creates the Secret with the kubeconfig of an adopted control plane. */
export function adoptCommand({ name, secretNamespace, secretName, secretKey }: InstanceFields): string {
  const secret = secretName.trim() || name.trim() || 'NAME'
  return `kubectl create secret generic ${secret} -n ${secretNamespace.trim()} --from-file=${secretKey.trim() || 'kubeconfig'}=FILE`
}
