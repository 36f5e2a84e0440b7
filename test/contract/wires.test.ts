import { describe } from 'vitest'
import { testBothWires } from './both-wires.js'
import { startPlaygroundTarget } from './playground-target.js'

describe('over REST and over gRPC equal messages answer', () => testBothWires(startPlaygroundTarget))
