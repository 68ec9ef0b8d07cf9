/** The user in the request headers for another server. */
import { namesUser, userHeaders } from '../../../src/meta/user-headers.ts';

test('name, groups and extra attributes', () => {
  const extra = { scopes: ['read', 'write'], 'example.com/A b%': ['ü'] };
  expect(userHeaders({ name: 'jane', uid: '1', groups: ['devs', 'ops'], extra }, false)).toEqual({
    'x-remote-user': 'jane',
    'x-remote-group': ['devs', 'ops'],
    'x-remote-extra-scopes': ['read', 'write'],
    'x-remote-extra-example.com%2fa%20b%25': [Buffer.from('ü').toString('latin1')],
  });
});

test('the UID, where servers are told it and there is one', () => {
  const jane = { name: 'jane', uid: 'ü1', groups: [], extra: {} };
  const uid = Buffer.from('ü1').toString('latin1');
  expect(userHeaders(jane, true)).toEqual({ 'x-remote-user': 'jane', 'x-remote-uid': uid });
  expect(userHeaders({ ...jane, uid: '' }, true)).toEqual({ 'x-remote-user': 'jane' });
});

test('a key that is a name of JavaScript is a key', () => {
  const extra = Object.fromEntries([['__proto__', ['x']]]) as Record<string, string[]>;
  expect(
    userHeaders({ name: 'jane', uid: '', groups: [], extra }, false)['x-remote-extra-__proto__'],
  ).toEqual(['x']);
});

test.each([
  ['x-remote-user', true],
  ['x-remote-group', true],
  ['x-remote-uid', true],
  ['x-remote-extra-scopes', true],
  ['x-remote-users', false],
  ['accept', false],
])('%s names a user: %s', (header, expected) => {
  expect(namesUser(header)).toBe(expected);
});
