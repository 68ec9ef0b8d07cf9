/** Certificates of the data folder that a wrong clock has made or renewed, at a start once the clock is right. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePki } from '../../../src/pki/folder.ts';
import type { PkiResult } from '../../../src/pki/types.ts';
import { ApiClient } from '../../support/client.ts';
import { processesWith } from '../../support/processes.ts';
import { runToEnd, Service } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const yearMs = 365 * 86_400_000;
let temporary: TempFolder;
let folder: string;

beforeEach(async () => {
  temporary = await makeTempFolder('wrong-clock');
  folder = join(temporary.path, 'data');
});
afterEach(() => temporary.remove());

const make = (shift: number): Promise<PkiResult> =>
  ensurePki({ folder: join(folder, 'pki'), hosts: [], now: Date.now() + shift });
const text = (file: string): string => readFileSync(join(folder, 'pki', file), 'utf8');

async function statusBy({ url }: Service, ca: string, cert: string, key: string): Promise<number> {
  using client = new ApiClient({ url, ca, cert, key });
  return (await client.get('/api/v1/namespaces')).status;
}

test('after a first start whose clock was ahead, or years ago, it serves, and says what it renewed', async () => {
  await make(12 * yearMs);
  rmSync(join(folder, 'pki', 'etcd-ca.crt'));
  await make(-20 * yearMs);
  const service = await Service.start(folder);
  expect((await service.ask({ path: '/api/v1/namespaces' })).status).toBe(200);
  expect(service.child.output()).toMatch(
    /"renewed":\[.*\{"name":"etcd-ca","why":"it is valid until 20.*certificates of the PKI are made anew/,
  );
  expect(await service.stop()).toBe(0);
});

test('clients with the certificate of an authority that a clock 12 years ahead renewed go on', async () => {
  await make(0);
  const [ca, cert, key] = [text('ca.crt'), text('admin.crt'), text('admin.key')];
  await make(12 * yearMs);
  expect(text('ca.crt')).not.toBe(ca);
  const service = await Service.start(folder);
  expect(await statusBy(service, ca, cert, key)).toBe(200);
  expect(await statusBy(service, text('ca.crt'), text('admin.crt'), text('admin.key'))).toBe(200);
  expect(await service.stop()).toBe(0);
});

test('an authority that is not valid and has no key ends the start before etcd is started', async () => {
  await make(12 * yearMs);
  rmSync(join(folder, 'pki', 'etcd-ca.key'));
  const { code, output } = await runToEnd([`--data-dir=${folder}`, '--secure-port=0']);
  expect(code).toBe(1);
  expect(output).toMatch(
    /pki\/etcd-ca\.crt is valid from .* on, by the clock it is .*\[CERTIFICATE_INVALID\]\n$/,
  );
  expect(output).not.toMatch(/ETCD_UNREACHABLE/);
  expect(processesWith(`--data-dir=${folder}/etcd`)).toEqual([]);
});
