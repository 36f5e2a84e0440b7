import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Member, startMember } from '../../playground/member/member.js'
import { ApiClient, kubeconfigText } from '../real/api-client.js'
import { silent } from '../silent.js'
import { credentialsIn } from './clients.js'
import { addKindObjects, kindNode } from './kind-cluster.js'

/** Starts and ends the clusters that specs create: see `test/real/karmada-e2e/clusters_test.go`. */
export interface ClusterSite {
  /** `PUT <url>/<name>` starts a cluster and answers its kubeconfig, `DELETE` ends it. */
  readonly url: string
  /** Ends all clusters too. */
  close(): Promise<void>
}

/** Serves on loopback. The clusters are members of the playground, with what a cluster of kind has, whatever Karmada is examined. */
export async function startClusterSite(): Promise<ClusterSite> {
  const clusters = new Map<string, Member>()
  const server = createServer((request, response) => {
    void answer(clusters, request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      for (const cluster of clusters.values()) await cluster.close()
    },
  }
}

async function answer(
  clusters: Map<string, Member>,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, name] = /^\/([a-z0-9-]+)$/.exec(url) ?? []
  try {
    if (name === undefined) return void response.writeHead(404).end(`no cluster can be called ${url}`)
    if (method === 'PUT') return void response.end(await start(clusters, name))
    if (method !== 'DELETE') return void response.writeHead(405).end()
    await clusters.get(name)?.close()
    clusters.delete(name)
    response.end()
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
}

/** @returns its kubeconfig, whose context is called as kind calls it */
async function start(clusters: Map<string, Member>, name: string): Promise<string> {
  if (clusters.has(name)) throw new Error(`there is a cluster ${name} already`)
  const nodes = [{ name: kindNode(name), cpu: '4', memory: '16Gi', pods: '110' }]
  const member = await startMember({ name, log: silent, nodes })
  clusters.set(name, member)
  const user = { name: 'kubernetes-admin', groups: ['system:masters'] }
  const credentials = credentialsIn(await member.server.kubeconfig(user))
  const client = new ApiClient(credentials)
  await addKindObjects(client, name)
  await client.close()
  return kubeconfigText(`kind-${name}`, credentials)
}
