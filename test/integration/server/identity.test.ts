/** Who may do what, seen from outside: certificates, tokens, nobody. One service serves all tests. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority, makeCertificate } from '../../../src/pki/issue.ts';
import { ensurePki } from '../../../src/pki/folder.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { Service, type Ask } from '../../support/service.ts';

let temporary: TempFolder;
let service: Service;

beforeAll(async () => {
  temporary = await makeTempFolder('identity');
  const pki = join(temporary.path, 'pki');
  await ensurePki({ folder: pki, hosts: [] });
  const ca = {
    certificate: readFileSync(join(pki, 'ca.crt'), 'utf8'),
    key: readFileSync(join(pki, 'ca.key'), 'utf8'),
  };
  const ann = { commonName: 'ann', organizations: ['devs'], hosts: [], usages: ['client'] as const };
  const save = (name: string, pair: { certificate: string; key: string }): void => {
    writeFileSync(join(pki, `${name}.crt`), pair.certificate);
    writeFileSync(join(pki, `${name}.key`), pair.key);
  };
  save('ann', makeCertificate(ca, ann, Date.now()));
  const foreign = makeAuthority('foreign', Date.now());
  const masters = { ...ann, organizations: ['system:masters'] };
  save('foreign', makeCertificate(foreign, masters, Date.now()));
  const tokens = join(temporary.path, 'tokens');
  writeFileSync(tokens, 'root-token,root,1,system:masters\nbob-token,bob,2,"devs,ops"\n');
  service = await Service.start(temporary.path, [`--token-auth-file=${tokens}`]);
});
afterAll(async () => {
  await service.child.stop();
  await temporary.remove();
});

const pods = '/api/v1/pods';
const cases: { name: string; ask: Ask; status: number; says?: string }[] = [
  { name: "the administrator's certificate", ask: { path: pods }, status: 200 },
  {
    name: 'a certificate of a user',
    ask: { path: pods, as: 'ann' },
    status: 403,
    says: 'User \\"ann\\" cannot list resource \\"pods\\"',
  },
  {
    name: 'a certificate of another authority',
    ask: { path: pods, as: 'foreign' },
    status: 401,
    says: 'Unauthorized',
  },
  {
    name: 'a certificate of another authority at an open path',
    ask: { path: '/healthz', as: 'foreign' },
    status: 401,
  },
  { name: 'a token of a master', ask: { path: pods, as: '', token: 'root-token' }, status: 200 },
  {
    name: 'a token of a user',
    ask: { path: pods, as: '', token: 'bob-token' },
    status: 403,
    says: '\\"bob\\"',
  },
  { name: 'an unknown token', ask: { path: pods, as: '', token: 'bob-toke' }, status: 401 },
  { name: 'a certificate with an unknown token', ask: { path: pods, token: 'nonsense' }, status: 200 },
  { name: 'nobody', ask: { path: pods, as: '' }, status: 403, says: 'system:anonymous' },
  { name: 'nobody at discovery', ask: { path: '/apis', as: '' }, status: 403 },
  { name: 'nobody at a health endpoint', ask: { path: '/livez?verbose', as: '' }, status: 200 },
  { name: 'nobody at a single health check', ask: { path: '/livez/ping', as: '' }, status: 403 },
  { name: 'nobody at the version', ask: { path: '/version', as: '' }, status: 200 },
  { name: 'nobody at the metrics', ask: { path: '/metrics', as: '' }, status: 403 },
];

test.each(cases)('$name: $status', async ({ ask, status, says = '' }) => {
  const answer = await service.ask(ask);
  expect(answer.status).toBe(status);
  expect(answer.body).toContain(says);
});

test('no token reaches the log', () => {
  expect(service.child.output()).not.toMatch(/root-token|bob-token|nonsense/);
});

test('with anonymous requests disabled, requests without credentials are rejected', async () => {
  const folder = await makeTempFolder('no-anonymous');
  const closed = await Service.start(folder.path, ['--anonymous-auth=false']);
  expect((await closed.ask({ path: '/healthz', as: '' })).status).toBe(401);
  expect((await closed.ask({ path: '/healthz' })).status).toBe(200);
  expect(await closed.stop()).toBe(0);
  await folder.remove();
});
