import { expect, it } from 'vitest'
import { addressOf, execPath, runs, terminalSearch } from '../../console/terminal/terminal-search.js'

const web = { cluster: 'north', namespace: 'shop', pod: 'web-0', container: '', command: 'sh' }

it('a terminal runs a shell unless its address names a command, and reads only strings from it', () => {
  expect(terminalSearch({ cluster: 'north', namespace: 'shop', pod: 'web-0' })).toEqual(web)
  expect(terminalSearch({ ...web, command: '' })).toEqual(web)
  expect(terminalSearch({ ...web, pod: 7, container: ['a'], command: 'bash -l' })).toEqual({
    ...web,
    pod: '',
    command: 'bash -l',
  })
})

it('the path of a terminal has each word of its command, and the container only where one is named', () => {
  const at = (search: object) => new URL(execPath('eu', { ...web, ...search }), 'https://kairship.test')
  const { pathname, searchParams } = at({ command: '  bash   -l ' })
  expect(pathname).toMatch(
    /instances\/eu\/proxy\/.*\/clusters\/north\/proxy\/.*\/namespaces\/shop\/pods\/web-0\/exec$/,
  )
  expect([searchParams.getAll('command'), searchParams.get('container'), searchParams.get('tty')]).toEqual([
    ['bash', '-l'],
    null,
    'true',
  ])
  expect(at({ container: 'side' }).searchParams.get('container')).toBe('side')
})

it('a name from an address does not change the path', () => {
  const path = execPath('a/../b', { ...web, cluster: '../x', namespace: 'n?m', pod: 'p#q' })
  expect(path).toContain('/instances/a%2F..%2Fb/proxy/')
  expect(path).toContain('/clusters/..%2Fx/proxy/')
  expect(path).toContain('/namespaces/n%3Fm/pods/p%23q/exec?')
})

it('the command of an address runs only after the user started it, and a shell at once', () => {
  const bash = { ...web, command: 'bash' }
  const started = { address: addressOf(bash), attempt: 1 }
  expect([runs(web, undefined), runs(bash, undefined), runs(bash, started)]).toEqual([true, false, true])
  // Another address came after it: of another command, or for another pod.
  expect([runs(web, started), runs({ ...bash, pod: 'web-1' }, started)]).toEqual([false, false])
})
