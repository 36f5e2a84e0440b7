import { create } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { placedLinks } from '../../console/propagation/trace-rows.js'
import { TraceLink_Step as Step, TraceLinkSchema } from '../../proto/gen/kairship/placement_pb.js'

const link = (step: Step, cluster = '') => create(TraceLinkSchema, { step, cluster })
const controlPlane = [Step.TEMPLATE, Step.POLICY, Step.BINDING, Step.SCHEDULING].map(step => link(step))
const placesOf = (...links: ReturnType<typeof link>[]) =>
  placedLinks(links).map(({ column, row, from, trunkContinues }) => [column, row, from, trunkContinues])

it('puts the steps of the control plane into the first row, each joined to the one before', () => {
  expect(placesOf(...controlPlane)).toEqual([
    [0, 0, 'nothing', false],
    [1, 0, 'before', false],
    [2, 0, 'before', false],
    [3, 0, 'before', false],
  ])
})

it('puts the Work and the object of a cluster into one row, by a trunk that ends at the last Work', () => {
  const members = ['a', 'b', 'c'].flatMap(cluster => [link(Step.WORK, cluster), link(Step.MEMBER, cluster)])
  expect(placesOf(...controlPlane, ...members).slice(4)).toEqual([
    [4, 0, 'before', true],
    [5, 0, 'before', false],
    [4, 1, 'trunk', true],
    [5, 1, 'before', false],
    [4, 2, 'trunk', false],
    [5, 2, 'before', false],
  ])
})

it('has a step of the control plane take the rows of all clusters', () => {
  const members = ['a', 'b'].map(cluster => link(Step.WORK, cluster))
  expect(placedLinks([link(Step.TEMPLATE), ...members]).map(({ rows }) => rows)).toEqual([2, 1, 1])
  expect(placedLinks([link(Step.TEMPLATE)]).map(({ rows }) => rows)).toEqual([1])
})

it('draws no line to an object in a member that no Work leads to', () => {
  expect(placesOf(link(Step.WORK, 'a'), link(Step.MEMBER, 'b'))).toEqual([
    [4, 0, 'before', false],
    [5, 1, 'nothing', false],
  ])
})
