import { describe, inject } from 'vitest'
import { testBothWires } from '../../contract/both-wires.js'
import { startRealTarget } from '../contract-target.js'

describe('over a real host, Karmada, Clusterpedia and member, REST and gRPC answer equal messages', () =>
  testBothWires(() => startRealTarget(inject('stack'))))
