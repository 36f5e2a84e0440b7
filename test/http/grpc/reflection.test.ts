import { join } from 'node:path'
import { credentials, loadPackageDefinition, Metadata } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { describe, expect, it } from 'vitest'
import { testApi } from '../fakes/api.js'
import { bearer, closedAfterEach, type Listening, TLS_NAME } from '../fakes/listening.js'

const listening = closedAfterEach()

describe('reflection', () => {
  const folder = join(import.meta.dirname, '../../../proto')
  const ask = async ({ running }: Listening, request: object, metadata: Metadata) => {
    const definition = loadSync(join(folder, 'grpc/reflection/v1.proto'), {
      includeDirs: [folder],
      keepCase: true,
    })
    const { grpc } = loadPackageDefinition(definition) as never as {
      grpc: { reflection: { v1: { ServerReflection: new (...args: unknown[]) => ReflectionClient } } }
    }
    const client = new grpc.reflection.v1.ServerReflection(
      running.grpcAddress,
      credentials.createSsl(Buffer.from(running.certificateAuthority ?? '')),
      TLS_NAME,
    )
    const call = client.ServerReflectionInfo(metadata)
    call.write(request)
    call.end()
    try {
      const answers: ReflectionAnswer[] = []
      for await (const answer of call) answers.push(answer)
      return answers[0]
    } finally {
      client.close()
    }
  }

  it('lists the services and returns their files with every option', async () => {
    const api = await listening()
    const listed = await ask(api, { list_services: '*' }, bearer('nobody'))
    const served = testApi().api.services.map(({ service }) => ({ name: service.typeName }))
    expect(listed?.list_services_response?.service).toEqual([...served, { name: 'grpc.health.v1.Health' }])
    const symbol = 'kairship.io.api.instance.v1alpha1.InstanceService.ListInstances'
    const found = await ask(api, { file_containing_symbol: symbol }, bearer('nobody'))
    const files = found?.file_descriptor_response?.file_descriptor_proto ?? []
    expect(files.length).toBeGreaterThan(5)
    expect(Buffer.concat(files).includes('/apis/kairship.io/v1alpha1/instances/config')).toBe(true)
  })

  it.each(['BadRequest', 'ErrorInfo', 'RetryInfo', 'RequestInfo'])(
    'knows the details of errors, so that grpcurl prints a %s in words',
    async name => {
      const api = await listening()
      const found = await ask(api, { file_containing_symbol: `google.rpc.${name}` }, bearer('nobody'))
      const files = found?.file_descriptor_response?.file_descriptor_proto ?? []
      expect(Buffer.concat(files).includes(name)).toBe(true)
    },
  )

  it('answers NOT_FOUND for an unknown symbol, and refuses anonymous callers', async () => {
    const api = await listening()
    const unknown = await ask(api, { file_containing_symbol: 'x.Y' }, bearer('nobody'))
    expect(unknown?.error_response).toMatchObject({ error_code: 5 })
    await expect(ask(api, { list_services: '*' }, new Metadata())).rejects.toMatchObject({ code: 16 })
  })
})
interface ReflectionClient {
  ServerReflectionInfo(metadata: Metadata): AsyncIterable<ReflectionAnswer> & {
    write(request: object): void
    end(): void
  }
  close(): void
}
interface ReflectionAnswer {
  readonly list_services_response?: { readonly service: object[] }
  readonly file_descriptor_response?: { readonly file_descriptor_proto: Buffer[] }
  readonly error_response?: object
}
