/** An authenticating proxy and HTTP basic authentication beside client certificates, seen from outside. */
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { makeAuthority, type Credential, type TestAuthority } from '../../support/pki.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let temporary: TempFolder;
let cluster: EtcdCluster;
let replica: Replica;
let proxies: TestAuthority;
let credentials: Record<
  'proxy' | 'otherProxy' | 'masterOfProxies' | 'ann' | 'admin' | 'stranger',
  Credential
>;

beforeAll(async () => {
  temporary = await makeTempFolder('proxy');
  cluster = await startEtcdCluster({ how: 'process' });
  proxies = await makeAuthority(join(temporary.path, 'proxies'), 'proxy authority');
  const strangers = await makeAuthority(join(temporary.path, 'strangers'), 'proxy authority');
  const passwords = join(temporary.path, 'passwords');
  writeFileSync(passwords, 'pass-word,bob,1,devs\nroot-word,root,2,system:masters\n');
  replica = await startReplica({
    etcd: cluster,
    args: [
      `--requestheader-client-ca-file=${proxies.caFile}`,
      '--requestheader-allowed-names=front-proxy',
      '--requestheader-username-headers=X-Remote-User,X-Login',
      `--basic-auth-file=${passwords}`,
      '--v=4',
    ],
  });
  const { authority } = replica.pki;
  credentials = {
    proxy: await proxies.client({ commonName: 'front-proxy' }),
    otherProxy: await proxies.client({ commonName: 'other-proxy' }),
    masterOfProxies: await proxies.client({ commonName: 'x', organizations: ['system:masters'] }),
    ann: await authority.client({ commonName: 'ann' }),
    admin: replica.pki.admin,
    stranger: await strangers.client({ commonName: 'front-proxy' }),
  };
});
afterAll(async () => {
  await replica.close();
  await cluster.close();
  await temporary.remove();
});

type Headers = readonly (readonly [string, string])[];

interface Told {
  readonly status: number;
  readonly body: string;
  readonly challenge: string;
}

/** Repeated headers are sent as such. */
function ask(as: keyof typeof credentials | '', headers: Headers = [], path = '/api/v1/pods'): Promise<Told> {
  const pair = as === '' ? {} : { cert: credentials[as].cert, key: credentials[as].key };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${replica.url}${path}`, {
      ca: replica.pki.authority.ca,
      ...pair,
      agent: false,
    });
    for (const name of new Set(headers.map(([header]) => header)))
      outgoing.setHeader(
        name,
        headers.filter(([header]) => header === name).map(([, value]) => value),
      );
    outgoing.on('error', reject).on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => {
        const challenge = response.headers['www-authenticate'] ?? '';
        resolve({ status: response.statusCode ?? 0, body, challenge });
      });
    });
    outgoing.end();
  });
}

/** The user that a request counts for: pods are nobody's to read here but for masters. */
async function userOf(...args: Parameters<typeof ask>): Promise<string> {
  const { status, body } = await ask(...args);
  if (status === 200) return 'a master';
  return status === 401 ? 'nobody' : (/User \\"([^"\\]+)\\"/.exec(body)?.[1] ?? body);
}

const eve: Headers = [['X-Remote-User', 'eve']];
const master: Headers = [...eve, ['X-Remote-Group', 'devs'], ['X-Remote-Group', 'system:masters']];

test('the proxy is believed', async () => {
  expect(await userOf('proxy', eve)).toBe('eve');
  expect(await userOf('proxy', [['X-Login', 'joe']])).toBe('joe');
  expect(await userOf('proxy', [...eve, ['X-Login', 'joe']])).toBe('eve');
  expect(await userOf('proxy', master)).toBe('a master');
});

test('a group is what one header says, comma or not', async () => {
  expect(await userOf('proxy', [...eve, ['X-Remote-Group', 'devs, system:masters']])).toBe('eve');
});

test('names are UTF-8; others are rejected', async () => {
  const sent = (bytes: Buffer): Headers => [['X-Remote-User', bytes.toString('latin1')]];
  expect(await userOf('proxy', sent(Buffer.from('jürgen 🙂')))).toBe('jürgen 🙂');
  expect(await userOf('proxy', sent(Buffer.from('jürgen', 'latin1')))).toBe('nobody');
  const group = Buffer.from('größe', 'latin1').toString('latin1');
  expect(await userOf('proxy', [...eve, ['X-Remote-Group', group]])).toBe('nobody');
});

test('headers that only look like those mean nothing', async () => {
  for (const name of ['X_Remote_User', 'X-Remote_User', 'X-Remote-User-', 'X-Remote-Users'])
    expect(await userOf('proxy', [[name, 'eve']])).toBe('nobody');
  expect(await userOf('proxy', [['x-rEMOTE-uSER', 'eve']])).toBe('eve');
});

test('a proxy request without a user is not authenticated', async () => {
  expect(await userOf('proxy')).toBe('nobody');
  expect(await userOf('proxy', [['X-Remote-Group', 'system:masters']])).toBe('nobody');
});

test.each(['otherProxy', 'masterOfProxies', 'stranger'] as const)('%s is not', async (as) => {
  expect(await userOf(as, master)).toBe('nobody');
  expect(await userOf(as)).toBe('nobody');
});

test('proxy headers of other clients are ignored', async () => {
  expect(await userOf('ann', master)).toBe('ann');
  expect(await userOf('', master)).toBe('system:anonymous');
  expect(await userOf('admin', eve)).toBe('a master');
});

const basic = (text: string): Headers => [['Authorization', `Basic ${Buffer.from(text).toString('base64')}`]];

test('a name with its password', async () => {
  expect(await userOf('', basic('bob:pass-word'))).toBe('bob');
  expect(await userOf('', basic('root:root-word'))).toBe('a master');
});

test('a wrong password and an unknown user get the same response, with a challenge', async () => {
  const answers = await Promise.all(['bob:wrong', 'nobody:wrong'].map((text) => ask('', basic(text))));
  for (const { status, challenge } of answers)
    expect([status, challenge]).toEqual([401, 'Bearer realm="api", Basic realm="api"']);
  expect(answers[0]?.body).toBe(answers[1]?.body);
});

test('a proxy with an additional wrong password still authenticates its user', async () => {
  expect(await userOf('proxy', [...eve, ...basic('bob:wrong')])).toBe('eve');
});

test('nothing of it is in the log', () => {
  expect(replica.logs()).not.toMatch(/pass-word|root-word|Basic /);
});
