import { parse } from 'yaml'
import type { Identity } from './apiserver/wire.js'

/** The client certificate that a kubeconfig of the embedded server carries. */
export function identityOf(kubeconfig: string): Identity {
  const { users } = parse(kubeconfig) as { users: { user: Record<string, string> }[] }
  const decode = (field: string): string => Buffer.from(users[0]?.user[field] ?? '', 'base64').toString()
  return { clientCertificate: decode('client-certificate-data'), clientKey: decode('client-key-data') }
}
