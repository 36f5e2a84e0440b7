import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Login, LoginStore, loginFolder, loginId } from '../../../cli/login/login-store.js'

let folder: string
let store: LoginStore
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logins-'))
  store = new LoginStore(join(folder, 'kairship', 'logins'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const login = (fields: Partial<Login> = {}): Login => ({
  server: 'https://kairship.test',
  issuer: 'https://issuer.test',
  clientId: 'kairship-cli',
  scopes: 'openid',
  subject: 'ada',
  user: 'ada',
  idToken: 'id',
  issuedAt: 0,
  expiresAt: 1,
  refreshToken: 'refresh',
  loggedInAt: 1,
  ...fields,
})

describe('a login that is kept', () => {
  it('can be read by its owner only, as can its folder', () => {
    const id = store.write(login())
    expect(statSync(store.folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(store.folder, `${id}.json`)).mode & 0o777).toBe(0o600)
    expect(store.read(id)).toEqual(login())
    expect(readdirSync(store.folder)).toEqual([`${id}.json`])
  })

  it('is another one for each server, issuer, client, set of scopes and user', () => {
    const others = ['server', 'issuer', 'clientId', 'scopes', 'subject'].map(field =>
      loginId(login({ [field]: 'https://other.test' })),
    )
    expect(new Set([loginId(login()), ...others]).size).toBe(6)
  })

  it('is the same one with a new token', () => {
    expect(loginId(login({ idToken: 'other', refreshToken: 'other', loggedInAt: 2 }))).toBe(loginId(login()))
  })

  it('of the latest login to a server is found first', () => {
    store.write(login({ subject: 'old', loggedInAt: 1 }))
    store.write(login({ subject: 'new', loggedInAt: 2 }))
    store.write(login({ subject: 'elsewhere', server: 'https://other.test', loggedInAt: 3 }))
    expect(store.latest('https://kairship.test')?.login.subject).toBe('new')
    expect(store.latest()?.login.subject).toBe('elsewhere')
    expect(store.latest('https://none.test')).toBeUndefined()
  })

  it('is not used when others can read it or write beside it', () => {
    const id = store.write(login())
    chmodSync(join(store.folder, `${id}.json`), 0o640)
    expect(() => store.read(id)).toThrow('is open to other users: chmod go=')
    chmodSync(join(store.folder, `${id}.json`), 0o600)
    chmodSync(store.folder, 0o770)
    expect(() => store.read(id)).toThrow('is open to other users')
    expect(() => store.write(login())).toThrow('is open to other users')
  })

  it('is not used when it belongs to another user', () => {
    const id = store.write(login())
    const { getuid } = process
    onTestFinished(() => void Object.assign(process, { getuid }))
    Object.assign(process, { getuid: () => -1 })
    expect(() => store.read(id)).toThrow('belongs to another user')
  })

  it('is not used when it was put under the name of another login', () => {
    const id = store.write(login())
    const other = loginId(login({ subject: 'eve' }))
    writeFileSync(join(store.folder, `${other}.json`), JSON.stringify(store.read(id)), { mode: 0o600 })
    expect(() => store.read(other)).toThrow('is no login')
  })

  it('is refused in words where the system refuses to read or write it, and leaves nothing half written', () => {
    const id = loginId(login())
    const path = join(store.folder, `${id}.json`)
    // A folder in its place, which no file takes the place of.
    mkdirSync(join(path, 'full'), { recursive: true, mode: 0o700 })
    chmodSync(store.folder, 0o700)
    chmodSync(path, 0o700)
    expect(() => store.write(login())).toThrow(`${path} cannot be used: E`)
    expect(readdirSync(store.folder)).toEqual([`${id}.json`])
    expect(() => store.read(id)).toThrow(`${path} is no login`)
    const inFile = new LoginStore(join(folder, 'file', 'logins'))
    writeFileSync(join(folder, 'file'), '')
    expect(() => inFile.write(login())).toThrow(/cannot be used: ENOTDIR/)
    expect(() => inFile.read(id)).toThrow(/cannot be used: ENOTDIR/)
  })

  it('is none where there is no folder', () => {
    expect(store.read(loginId(login()))).toBeUndefined()
    expect(store.latest()).toBeUndefined()
  })
})

it('logins are kept in the state folder of XDG, unless that is not absolute', () => {
  expect(loginFolder({ XDG_STATE_HOME: '/state' })).toBe('/state/kairship/logins')
  expect(loginFolder({ XDG_STATE_HOME: 'state' })).toMatch(/\/\.local\/state\/kairship\/logins$/)
})
