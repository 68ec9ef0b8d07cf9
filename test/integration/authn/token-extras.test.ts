/** What the users of tokens and certificates are known by besides their name: ids of credentials, pods and nodes. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jsonwebtoken from 'jsonwebtoken';
import { Service, type Ask } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const account = '/api/v1/namespaces/default/serviceaccounts/default';
const key = (name: string): string => `authentication.orch.io/${name}`;
let temporary: TempFolder;
let service: Service;
let log: string;

beforeAll(async () => {
  temporary = await makeTempFolder('token-extras');
  log = join(temporary.path, 'audit.log');
  const policy = join(temporary.path, 'policy.yaml');
  writeFileSync(policy, 'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
  await start('1.36', `--audit-policy-file=${policy}`, `--audit-log-path=${log}`);
  await waitFor('the account', async () => (await service.ask({ path: account })).status === 200);
});
afterAll(async () => {
  await service.child.stop();
  await temporary.remove();
});

async function start(release: string, ...args: readonly string[]): Promise<void> {
  service = await Service.start(join(temporary.path, 'data'), [`--emulated-release=${release}`, ...args]);
}

async function made<T>(path: string, body: object, more: Partial<Ask> = {}): Promise<T> {
  const answer = await service.ask({ method: 'POST', path, body, ...more });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
  return JSON.parse(answer.body) as T;
}

interface Named {
  readonly metadata: { readonly name: string; readonly uid: string };
}

interface Issued {
  readonly metadata: object;
  readonly status: { readonly token: string };
}

function tokenFor(boundObjectRef?: object): Promise<Issued> {
  return made<Issued>(`${account}/token`, { spec: { ...(boundObjectRef && { boundObjectRef }) } });
}

/** Extra values of the user, as the service itself sees them. */
async function extraOf(more: Partial<Ask>): Promise<Record<string, string[]>> {
  const path = '/apis/authentication.orch.io/v1/selfsubjectreviews';
  const review = await made<{ status: { userInfo: { extra?: Record<string, string[]> } } }>(path, {}, more);
  return review.status.userInfo.extra ?? {};
}

const bearer = (token: string): Partial<Ask> => ({ as: '', token });

function claimsOf({ status }: Issued): { jti: string; 'orch.io': Record<string, object> } {
  return jsonwebtoken.decode(status.token) as unknown as ReturnType<typeof claimsOf>;
}

test('a certificate is named by its digest', async () => {
  const { fingerprint256 } = new X509Certificate(
    readFileSync(join(temporary.path, 'data', 'pki', 'admin.crt')),
  );
  const digest = fingerprint256.replaceAll(':', '').toLowerCase();
  expect(await extraOf({})).toEqual({ [key('credential-id')]: [`X509SHA256=${digest}`] });
});

test('a token has an id, which the audit log knows from the beginning', async () => {
  const issued = await tokenFor();
  const { jti } = claimsOf(issued);
  expect(jti).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(await extraOf(bearer(issued.status.token))).toEqual({ [key('credential-id')]: [`JTI=${jti}`] });
  expect(issued.metadata).not.toHaveProperty('creationTimestamp');
  expect(claimsOf(await tokenFor()).jti).not.toBe(jti);
  await waitFor('the event', () =>
    readFileSync(log, 'utf8').includes(`"${key('issued-credential-id')}":"JTI=${jti}"`),
  );
});

test('the token of a pod says which node that is on, whether or not it exists', async () => {
  const spec = { containers: [{ name: 'main', image: 'nginx:1' }], nodeName: 'n1' };
  const path = '/api/v1/namespaces/default/pods';
  const pod = await made<Named>(path, { metadata: { name: 'web' }, spec });
  const ref = { kind: 'Pod', apiVersion: 'v1', name: 'web' };
  const early = await tokenFor(ref);
  expect(claimsOf(early)['orch.io']).toMatchObject({ pod: { name: 'web' }, node: { name: 'n1' } });
  const node = await made<Named>('/api/v1/nodes', { metadata: { name: 'n1' } });
  const issued = await tokenFor(ref);
  const { uid } = node.metadata;
  expect(claimsOf(issued)['orch.io']).toMatchObject({ node: { name: 'n1', uid } });
  const shown = {
    [key('pod-name')]: ['web'],
    [key('pod-uid')]: [pod.metadata.uid],
    [key('node-name')]: ['n1'],
  };
  expect(await extraOf(bearer(early.status.token))).toEqual({
    ...shown,
    [key('credential-id')]: [`JTI=${claimsOf(early).jti}`],
  });
  expect(await extraOf(bearer(issued.status.token))).toEqual({
    ...{ ...shown, [key('node-uid')]: [uid] },
    [key('credential-id')]: [`JTI=${claimsOf(issued).jti}`],
  });
});

test('a token that is bound to a node dies with it, and needs one', async () => {
  const ref = { kind: 'Node', apiVersion: 'v1', name: 'n2' };
  const missing = await service.ask({
    method: 'POST',
    path: `${account}/token`,
    body: { spec: { boundObjectRef: ref } },
  });
  expect(missing.status).toBe(404);
  const { metadata } = await made<Named>('/api/v1/nodes', { metadata: { name: 'n2' } });
  const other = await service.ask({
    method: 'POST',
    path: `${account}/token`,
    body: { spec: { boundObjectRef: { ...ref, uid: 'another' } } },
  });
  expect(other.status).toBe(409);
  const issued = await tokenFor({ ...ref, uid: metadata.uid });
  expect(await extraOf(bearer(issued.status.token))).toMatchObject({
    [key('node-name')]: ['n2'],
    [key('node-uid')]: [metadata.uid],
  });
  await service.ask({ method: 'DELETE', path: '/api/v1/nodes/n2' });
  await waitFor('the token to be void', async () => {
    const { status } = await service.ask({ path: '/api', ...bearer(issued.status.token) });
    return status === 401;
  });
});

test('release 1.28 binds no token to a node, names none and writes a time that is missing', async () => {
  await service.child.stop();
  await start('1.28');
  await made<Named>('/api/v1/nodes', { metadata: { name: 'n3' } });
  const boundObjectRef = { kind: 'Node', apiVersion: 'v1', name: 'n3' };
  const body = { spec: { boundObjectRef } };
  const refused = await service.ask({ method: 'POST', path: `${account}/token`, body });
  expect([refused.status, refused.body]).toEqual([
    400,
    expect.stringContaining('cannot bind token to object of type'),
  ]);
  const issued = await tokenFor();
  expect(issued.metadata).toHaveProperty('creationTimestamp', null);
  expect(claimsOf(issued)).not.toHaveProperty('jti');
  expect(await extraOf(bearer(issued.status.token))).toEqual({});
  expect(await extraOf({})).toEqual({});
});
