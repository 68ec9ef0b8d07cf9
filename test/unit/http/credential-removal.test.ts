import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { createCredentialRemoval } from '../../../src/http/filters/credential-removal.ts';

function message(...rawHeaders: string[]): IncomingMessage {
  const req = new IncomingMessage(new Socket());
  req.rawHeaders = rawHeaders;
  for (let i = 0; i < rawHeaders.length; i += 2)
    req.headers[(rawHeaders[i] ?? '').toLowerCase()] = rawHeaders[i + 1];
  return req;
}

const sent = [
  'Accept',
  '*/*',
  'AUTHORIZATION',
  'Bearer s3cret',
  'X-Remote-User',
  'ann',
  'X-Remote-Extra-A',
  'b',
];

test('credentials are in no form of the headers any more', () => {
  const req = message(...sent);
  createCredentialRemoval()(req);
  expect(req.headers).toEqual({ accept: '*/*', 'x-remote-user': 'ann', 'x-remote-extra-a': 'b' });
  expect(req.rawHeaders).not.toContain('Bearer s3cret');
});

test('nor are those of a proxy, where there may be one', () => {
  const req = message(...sent);
  const names = {
    usernames: ['x-remote-user'],
    groups: ['x-remote-group'],
    extraPrefixes: ['x-remote-extra-'],
  };
  createCredentialRemoval(names)(req);
  expect(req.headers).toEqual({ accept: '*/*' });
  expect(req.rawHeaders).toEqual(['Accept', '*/*']);
});
