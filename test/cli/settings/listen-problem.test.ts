import { expect, it } from 'vitest'
import { ExitCode } from '../../../cli/exit-code.js'
import { listenProblem } from '../../../cli/settings/listen-problem.js'
import { defaults } from '../../../config.js'

const config = {
  ...defaults('serve'),
  listen: '127.0.0.1:8443',
  grpcListen: 'localhost:9443',
  healthListen: '[::1]:8080',
}
const inUse = 'is in use by another process: stop that, or name another address (port 0 picks a free one)'

it.each([
  ['REST', 'listen EADDRINUSE: address already in use 127.0.0.1:8443', `--listen: 127.0.0.1:8443 ${inUse}`],
  [
    'gRPC, as grpc-js reports it, by name',
    'No address added out of total 1 resolved errors: [listen EADDRINUSE: address already in use 127.0.0.1:9443]',
    `--grpc-listen: localhost:9443 ${inUse}`,
  ],
  [
    'health over IPv6',
    'listen EADDRINUSE: address already in use ::1:8080',
    `--health-listen: [::1]:8080 ${inUse}`,
  ],
  [
    'a port of the system',
    'listen EACCES: permission denied 127.0.0.1:8443',
    '--listen: 127.0.0.1:8443 may not be listened on by this user: name another address, with a port above 1023',
  ],
])('names the setting whose address is in use: %s', (_what, said, message) => {
  expect(listenProblem(new Error(said), config)).toMatchObject({ message, exitCode: ExitCode.failed })
})

it('names the setting with a host that is not an address of this machine, even with port 0', () => {
  const error = new Error('listen EADDRNOTAVAIL: address not available 192.0.2.1')
  expect(listenProblem(error, { ...config, grpcListen: '192.0.2.1:0' })).toMatchObject({
    message: '--grpc-listen: 192.0.2.1:0 is no address of this machine: name one that is',
  })
})

it('names the data folder when a cluster in it cannot listen on its earlier port', () => {
  const error = new Error(
    'the API server host cannot listen on 127.0.0.1:5: listen EADDRINUSE: address already in use 127.0.0.1:5',
  )
  expect(listenProblem(error, { ...config, data: 'd' })).toMatchObject({
    message:
      '--data: 127.0.0.1:5, where the playground of d listened before, is in use by another process: stop that, or name another folder',
  })
})

it.each([[new TypeError('a defect')], [new Error('I listen to you')], ['text']])(
  'returns another error unchanged: %s',
  error => expect(listenProblem(error, config)).toBe(error),
)
