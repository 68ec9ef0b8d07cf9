/** The UID that an authenticating proxy names, and the flag that says where. */
import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { createRequestHeaderAuthenticator } from '../../../src/authn/request-header.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import { requestWith } from '../../support/authn-requests.ts';
import { makeAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
beforeAll(async () => {
  folder = await makeTempFolder('request-header');
});
afterAll(() => folder.remove());

test.each([
  [['x-remote-uid'], ['X-Remote-Uid', '7'], '7'],
  [['x-uid', 'x-remote-uid'], ['X-Remote-Uid', '7', 'X-Uid', ''], '7'],
  [['x-remote-uid'], [], ''],
  [[], ['X-Remote-Uid', '7'], ''],
])('headers %j, sent %j: UID %j', async (uids, sent, expected) => {
  const authority = await makeAuthority(folder.path, 'proxy');
  const { cert } = await authority.client({ commonName: 'front' });
  const authenticator = createRequestHeaderAuthenticator({
    ...{ usernames: ['x-remote-user'], uids, groups: [], extraPrefixes: [], allowedNames: [] },
    ...{ authorities: [new X509Certificate(authority.ca)], clock: systemClock },
  });
  const peer = { authorized: true, certificates: [new X509Certificate(cert)] };
  const result = await authenticator.authenticate(
    requestWith({ peer, rawHeaders: ['X-Remote-User', 'ann', ...sent] }),
  );
  expect(result).toMatchObject({ outcome: 'authenticated', user: { name: 'ann', uid: expected } });
});

test.each([
  ['1.21', '', 1],
  ['1.32', '', 1],
  ['1.32', 'RemoteRequestHeaderUID=true', 0],
  ['1.33', '', 0],
  ['1.33', 'RemoteRequestHeaderUID=false', 1],
])('--requestheader-uid-headers in %s with gates "%s": %d errors', async (release, gates, count) => {
  const flags = { 'emulated-release': release, 'feature-gates': gates };
  const { config, errors } = await configFromFlags({ ...flags, 'requestheader-uid-headers': 'X-Remote-Uid' });
  expect(errors).toHaveLength(count);
  expect(config.authentication.proxies.uids).toEqual(['x-remote-uid']);
});
