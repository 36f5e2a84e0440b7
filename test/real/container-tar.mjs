#!/usr/bin/env node
// Stands in for `tar` in the containers that KWOK plays. KWOK never ends the input of a command, and GNU tar reads its
// input to the end: extracting, it would wait for ever. This one reads an archive to its end marker and hands it on.
import { spawnSync } from 'node:child_process'
import { readSync } from 'node:fs'

const [, , ...args] = process.argv
const BLOCK = 512

/** Reads exactly so many bytes from stdin. */
function read(length) {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; ) {
    try {
      at += readSync(0, bytes, at, length - at, null)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
  return bytes
}

/** The archive on stdin, to the first of the two empty blocks that end it. */
function archive() {
  const blocks = []
  for (;;) {
    const head = read(BLOCK)
    blocks.push(head)
    if (head.every(byte => byte === 0)) return Buffer.concat([...blocks, head])
    const size = Number.parseInt(head.toString('latin1', 124, 136), 8)
    blocks.push(read(Math.ceil(size / BLOCK) * BLOCK))
  }
}

const extracts = /^-?[a-z]*x/.test(args[0] ?? '')
const { status } = spawnSync('/bin/tar', args, {
  input: extracts ? archive() : '',
  stdio: ['pipe', 'inherit', 'inherit'],
})
process.exit(status ?? 1)
