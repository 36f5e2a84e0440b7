import { buildNamed } from '../build.js'

/** Builds the program that the decisions are compared with, and nothing else. */
export async function setup(): Promise<void> {
  await buildNamed('karmada-oracle', line => console.log(line))
}
