import { describe, expect, it } from 'vitest'
import { parseGoUrl } from '../../../playground/karmada/go-url.js'

/** What `url.Parse` of Go 1.26 says of each. */
describe('a URL is read as Go reads it', () => {
  it.each<[text: string, parts: Partial<ReturnType<typeof parseGoUrl>>]>([
    ['//m1/x', { scheme: '', host: 'm1' }],
    ['///m1', { scheme: '', host: '' }],
    ['https:///m1', { scheme: 'https', host: '' }],
    ['x:y:z', { scheme: 'x', host: '' }],
    ['a/b:c', { scheme: '', host: '' }],
    ['https://a@b@m1', { user: 'a%40b', host: 'm1' }],
    ['https://m%20e:a%3ab%2f@m1', { user: 'm%20e:a%3Ab%2F' }],
    ['https://a%25b', { host: 'a%b' }],
    ['https://%e4b', { host: '\ufffdb' }],
    ['https://m1:', { host: 'm1:' }],
    ['socks5://a:b:1', { host: 'a:b:1' }],
    ['https://m1/%2f%41', { host: 'm1' }],
    ['https://m1/a%25zz', { host: 'm1' }],
    ['https://[fe80::1%25en%200]:1', { host: '[fe80::1%en 0]:1' }],
    ['https://[::1%2541]', { host: '[::1%41]' }],
    ['https://[::1%25%25]', { host: '[::1%%]' }],
  ])('%j', (text, parts) => expect(parseGoUrl(text)).toMatchObject(parts))

  it.each([
    ['https://m1\u0001', 'net/url: invalid control character in URL'],
    ['https://m1\u007f', 'net/url: invalid control character in URL'],
    ['https://m e@m1', 'net/url: invalid userinfo'],
    ['https://ü:!@m1', 'net/url: invalid userinfo'],
    ['https://a[::1]', 'invalid IP-literal'],
    ['https://[[::1]', 'invalid IP-literal'],
    ['https://[::1]x', 'invalid port "x" after host'],
    ['https://[::1]:x', 'invalid port ":x" after host'],
    ['https://a:b:1', 'invalid port ":b:1" after host'],
    ['socks5://a:b:x', 'invalid port ":x" after host'],
    ['https://a%20b', 'invalid URL escape "%20"'],
    ['https://m%00', 'invalid URL escape "%00"'],
    ['https://[fe80::1%20]', 'invalid URL escape "%20"'],
    ['https://[fe80::1%en0]', 'invalid URL escape "%en"'],
    ['https://[::1%25%e4]', 'invalid URL escape "%e4"'],
    ['https://[::1%25%00]', 'invalid URL escape "%00"'],
    ['https://[::1%25]', 'invalid host: ParseAddr("::1%")'],
    ['https://m1/%4', 'invalid URL escape "%4"'],
    ['https://m1/%a%20', 'invalid URL escape "%a%"'],
    ['https://m1#%zz', 'invalid URL escape "%zz"'],
    ['1x:2', 'first path segment in URL cannot contain colon'],
  ])('%j is refused: %s', (text, complaint) => expect(() => parseGoUrl(text)).toThrow(complaint))
})
