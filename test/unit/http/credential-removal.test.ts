import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { SocketTokens } from '../../../src/authn/socket-token.ts';
import { createCredentialRemoval, removeSocketToken } from '../../../src/http/filters/credential-removal.ts';

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
  expect(req.headers).toEqual({ accept: '*/*' });
  expect(req.rawHeaders).toEqual(['Accept', '*/*']);
});

test('nor are those of a proxy, by its own names and by those of this API', () => {
  const req = message(...sent, 'X-Remote-Uid', '7', 'X-Proxy-User', 'bob', 'X-Proxy-Extra-B', 'c');
  const names = {
    usernames: ['x-proxy-user'],
    uids: ['x-proxy-uid'],
    groups: ['x-proxy-group'],
    extraPrefixes: ['x-proxy-extra-'],
  };
  createCredentialRemoval(names)(req);
  expect(req.headers).toEqual({ accept: '*/*' });
  expect(req.rawHeaders).toEqual(['Accept', '*/*']);
});

describe('a token in a subprotocol of a WebSocket', () => {
  const tokens = new SocketTokens('api.test');
  const protocol = (token: string): string =>
    `base64url.bearer.authorization.api.test.${Buffer.from(token).toString('base64url')}`;

  test('is read beside another subprotocol', () => {
    expect(tokens.tokenIn(`${protocol('s3cret')}, v4`)).toBe('s3cret');
    expect(tokens.tokenIn(`v4,${protocol('ä~ÿ')},v5`)).toBe('ä~ÿ');
    expect(tokens.tokenIn('v4, v5')).toBe('');
    expect(tokens.tokenIn(`${protocol('')}, v4`)).toBe('');
  });

  test.each([
    ['alone', protocol('s3cret')],
    ['twice', `${protocol('s3cret')}, ${protocol('s3cret')}, v4`],
    ['in another encoding', `${protocol('s3cret')}==, v4`],
    ['of no whole bytes', `${protocol('abc')}x, v4`],
    ['that is no text', 'base64url.bearer.authorization.api.test._-8, v4'],
  ])('%s is none that anybody knows', (_how, protocols) => {
    expect(tokens.tokenIn(protocols)).toBe(protocols);
  });

  test('is in no form of the headers any more, and the other subprotocols are', () => {
    const [name, value] = ['Sec-WebSocket-Protocol', `${protocol('s3cret')}, v4, v5`];
    const req = message('Accept', '*/*', name, value, name, protocol('s3cret'));
    req.headers['sec-websocket-protocol'] = `${value}, ${protocol('s3cret')}`;
    removeSocketToken(req, tokens);
    expect(req.headers).toEqual({ accept: '*/*', 'sec-websocket-protocol': 'v4, v5' });
    expect(req.rawHeaders).toEqual(['Accept', '*/*', name, 'v4, v5']);
  });

  test('leaves no header if it was alone', () => {
    const req = message('Accept', '*/*', 'Sec-WebSocket-Protocol', protocol('s3cret'));
    removeSocketToken(req, tokens);
    expect(req.headers).toEqual({ accept: '*/*' });
    expect(req.rawHeaders).toEqual(['Accept', '*/*']);
  });
});
