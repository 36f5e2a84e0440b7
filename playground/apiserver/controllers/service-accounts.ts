import { isObject, objectAt, stringAt } from '../../apimachinery/json.js'
import type { Cluster } from '../cluster.js'
import { install } from '../operations/install.js'
import type { Collection, StoreEvent } from '../store/collection.js'
import type { StoredObject } from '../store/stored-object.js'
import { type Controller, WorkQueue } from './controller.js'
import { change, removeObject } from './internal-write.js'

const TOKEN_TYPE = 'kubernetes.io/service-account-token'
const ACCOUNT_NAME = 'kubernetes.io/service-account.name'
const ACCOUNT_UID = 'kubernetes.io/service-account.uid'
const ROOT_CA = 'kube-root-ca.crt'

/** Which of kube-controller-manager's account loops run: Karmada's control planes run only the token loop. */
export interface AccountLoops {
  /** Gives every namespace its `default` account and the `kube-root-ca.crt` ConfigMap. */
  readonly defaults: boolean
}

/** Fills Secrets of type service-account-token, and gives namespaces their default account. */
export class ServiceAccounts implements Controller {
  readonly #queue: WorkQueue

  constructor(
    private readonly cluster: Cluster,
    private readonly loops: AccountLoops,
  ) {
    this.#queue = new WorkQueue('service-accounts', cluster, id => this.#attend(id))
    if (loops.defaults) {
      for (const { name } of cluster.collection('namespaces').values()) this.#queue.add(`namespace ${name}`)
    }
    for (const secret of cluster.collection('secrets').values()) this.#noticeSecret(secret)
  }

  observe(collection: Collection, { type, current }: StoreEvent): void {
    if (collection.id === 'secrets' && type !== 'DELETED') this.#noticeSecret(current)
    if (collection.id === 'serviceaccounts') {
      if (type === 'DELETED') {
        this.#queue.add(`namespace ${current.namespace}`)
        for (const secret of this.cluster.collection('secrets').list(current.namespace))
          this.#noticeSecret(secret)
      } else if (type === 'ADDED') {
        for (const secret of this.cluster.collection('secrets').list(current.namespace))
          this.#noticeSecret(secret)
      }
    }
    if (!this.loops.defaults) return
    if (collection.id === 'namespaces' && type === 'ADDED') this.#queue.add(`namespace ${current.name}`)
    if (collection.id === 'configmaps' && type === 'DELETED' && current.name === ROOT_CA) {
      this.#queue.add(`namespace ${current.namespace}`)
    }
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  #noticeSecret(secret: StoredObject): void {
    if (secret.object.type === TOKEN_TYPE) this.#queue.add(`secret ${secret.key}`)
  }

  async #attend(id: string): Promise<boolean> {
    const [kind, key = ''] = id.split(' ')
    return kind === 'secret' ? this.#fill(key) : this.#defaults(key)
  }

  async #defaults(namespace: string): Promise<boolean> {
    const { cluster } = this
    const holder = cluster.collection('namespaces').get(namespace)
    if (!this.loops.defaults || !holder || holder.isTerminating) return true
    if (!cluster.collection('serviceaccounts').get(`${namespace}/default`)) {
      await install(cluster, 'serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace },
      })
    }
    if (!cluster.collection('configmaps').get(`${namespace}/${ROOT_CA}`)) {
      await install(cluster, 'configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: ROOT_CA, namespace },
        data: { 'ca.crt': cluster.authority.certificate },
      })
    }
    return true
  }

  /** Puts token, CA and namespace into a token Secret; deletes one whose account is gone. */
  async #fill(key: string): Promise<boolean> {
    const { cluster } = this
    const secret = cluster.collection('secrets').get(key)
    if (!secret || secret.isTerminating) return true
    const annotations = objectAt(secret.object, 'metadata', 'annotations')
    const name = stringAt(annotations, ACCOUNT_NAME)
    const account = cluster.collection('serviceaccounts').get(`${secret.namespace}/${name}`)
    const wantedUid = stringAt(annotations, ACCOUNT_UID)
    if (!account || (wantedUid !== '' && wantedUid !== account.uid)) {
      await removeObject(cluster, 'secrets', secret)
      return true
    }
    const data = objectAt(secret.object, 'data')
    if (isObject(data) && data.token && data['ca.crt'] && data.namespace && wantedUid !== '') return true
    const token = await cluster.tokens.issueSecret({
      namespace: secret.namespace,
      account: { name, uid: account.uid },
      secret: secret.name,
    })
    await change(cluster, 'secrets', { namespace: secret.namespace, name: secret.name }, current => ({
      ...current,
      metadata: {
        ...objectAt(current, 'metadata'),
        annotations: { ...objectAt(current, 'metadata', 'annotations'), [ACCOUNT_UID]: account.uid },
      },
      data: {
        'ca.crt': base64(cluster.authority.certificate),
        namespace: base64(secret.namespace),
        token: base64(token),
        ...objectAt(current, 'data'),
      },
    }))
    return true
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
