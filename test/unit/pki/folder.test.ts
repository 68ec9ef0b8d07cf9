import { createPrivateKey, X509Certificate } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../../src/base/start-error.ts';
import { ensurePki, renewCertificates } from '../../../src/pki/folder.ts';
import type { PkiResult } from '../../../src/pki/types.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const dayMs = 86_400_000;
const pairs = ['ca', 'server', 'admin', 'controller-manager', 'prometheus', 'etcd-ca', 'etcd'];
const all = [...pairs, 'service-account'];
const clients = ['admin', 'controller-manager', 'prometheus'];
let temporary: TempFolder;
let folder: string;

beforeEach(async () => {
  temporary = await makeTempFolder('pki');
  folder = join(temporary.path, 'pki');
});
afterEach(() => temporary.remove());

const make = (hosts: string[] = [], now = Date.now()): Promise<PkiResult> =>
  ensurePki({ folder, hosts, now });
const renew = (now: number): Promise<PkiResult> => renewCertificates({ folder, hosts: [], now });
const read = (name: string): X509Certificate =>
  new X509Certificate(readFileSync(join(folder, `${name}.crt`)));

async function errorOf(work: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  return error instanceof StartError ? error.errors[0]?.code : undefined;
}

test('a new folder gets everything, signed by the authority that the plan names', async () => {
  expect((await make(['example.test', '10.1.2.3'])).made).toEqual(all);
  const [ca, etcdCa] = [read('ca'), read('etcd-ca')];
  for (const name of ['server', ...clients]) expect(read(name).verify(ca.publicKey)).toBe(true);
  expect(read('etcd').verify(etcdCa.publicKey)).toBe(true);
  expect(read('etcd').verify(ca.publicKey)).toBe(false);
  for (const name of pairs) {
    const key = createPrivateKey(readFileSync(join(folder, `${name}.key`)));
    expect(read(name).checkPrivateKey(key)).toBe(true);
  }
});

test('names, hosts and uses are what a verifier wants to see', async () => {
  await make(['example.test', '10.1.2.3']);
  const server = read('server');
  for (const host of ['localhost', 'example.test']) expect(server.checkHost(host)).toBe(host);
  for (const address of ['127.0.0.1', '::1', '10.1.2.3']) expect(server.checkIP(address)).toBe(address);
  expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(read('etcd').keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  for (const name of clients) expect(read(name).keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  expect(read('admin').subject).toBe('O=system:masters\nCN=admin');
  expect(read('controller-manager').subject).toBe('CN=system:orch-controller-manager');
  expect(read('prometheus').subject).toBe('O=system:monitoring\nCN=prometheus');
  expect([read('ca').ca, read('server').ca]).toEqual([true, false]);
});

test('keys that a process left unfinished when it was killed are removed', async () => {
  await make();
  const left = ['server.key.71.new', 'service-account.key.0b3c9b2e-9df3-4d0b-8f63-1c7a2f1d5e10.new'];
  const others = ['admin.crt.72.new', 'my.new'];
  for (const name of [...left, ...others]) writeFileSync(join(folder, name), 'text');
  const longAgo = new Date(Date.now() - 61_000);
  for (const name of [...left, 'my.new']) utimesSync(join(folder, name), longAgo, longAgo);
  await make();
  expect([...left, ...others].filter((name) => existsSync(join(folder, name)))).toEqual(others);
});

test('keys and the folder are for their owner only', async () => {
  await make();
  for (const name of all) expect(statSync(join(folder, `${name}.key`)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('what is good stays', async () => {
  await make(['a.test', 'b.test']);
  const before = readFileSync(join(folder, 'server.crt'), 'utf8');
  expect(await make(['b.test'])).toMatchObject({ made: [], kept: all });
  expect(readFileSync(join(folder, 'server.crt'), 'utf8')).toBe(before);
});

test('certificates that expire within 30 days are renewed, the CA is kept', async () => {
  await make();
  expect((await make([], Date.now() + 334 * dayMs)).made).toEqual([]);
  expect((await make([], Date.now() + 336 * dayMs)).made).toEqual(['server', ...clients, 'etcd']);
});

test('an authority that expires soon takes all below it along', async () => {
  await make();
  expect((await make([], Date.now() + 3640 * dayMs)).made).toEqual(pairs);
});

test('a further host renews the serving certificates only', async () => {
  await make();
  expect((await make(['new.test'])).made).toEqual(['server', 'etcd']);
});

test('certificates of another CA are replaced', async () => {
  await make();
  rmSync(join(folder, 'ca.crt'));
  expect((await make()).made).toEqual(['ca', 'server', ...clients]);
});

test('a certificate with another subject is replaced', async () => {
  await make();
  for (const kind of ['crt', 'key'])
    copyFileSync(join(folder, `controller-manager.${kind}`), join(folder, `admin.${kind}`));
  expect((await make()).made).toEqual(['admin']);
  expect(read('admin').subject).toBe('O=system:masters\nCN=admin');
});

test('a key that is missing or foreign is replaced with its certificate', async () => {
  await make();
  rmSync(join(folder, 'admin.key'));
  writeFileSync(join(folder, 'server.key'), readFileSync(join(folder, 'etcd.key')));
  expect((await make()).made).toEqual(['server', 'admin']);
});

test('an authority without its key serves until something has to be signed', async () => {
  await make();
  rmSync(join(folder, 'ca.key'));
  expect((await make()).made).toEqual([]);
  expect(await errorOf(make(['new.test']))).toBe('KEY_INVALID');
});

test('a key of another CA is reported, and signs nothing', async () => {
  await make();
  copyFileSync(join(folder, 'etcd-ca.key'), join(folder, 'ca.key'));
  rmSync(join(folder, 'server.crt'));
  expect(await errorOf(make())).toBe('KEY_MISMATCH');
  expect(existsSync(join(folder, 'server.crt'))).toBe(false);
});

test('a damaged file is reported, not overwritten', async () => {
  await make();
  writeFileSync(join(folder, 'server.crt'), 'spoilt');
  expect(await errorOf(make())).toBe('CERTIFICATE_INVALID');
  expect(readFileSync(join(folder, 'server.crt'), 'utf8')).toBe('spoilt');
});

test('a path that cannot be a folder is reported', async () => {
  writeFileSync(folder, '');
  expect(await errorOf(make())).toBe('DATA_FOLDER_UNUSABLE');
});

test('the key of tokens stays whatever its age, and is never replaced where it is broken', async () => {
  await make();
  const path = join(folder, 'service-account.key');
  const before = readFileSync(path, 'utf8');
  await make([], Date.now() + 3640 * dayMs);
  expect(readFileSync(path, 'utf8')).toBe(before);
  writeFileSync(path, 'spoilt');
  expect(await errorOf(make())).toBe('KEY_INVALID');
});

test('of several that start on one folder the key of the first counts', async () => {
  await make();
  const path = join(folder, 'service-account.key');
  rmSync(path);
  const made = await Promise.all([1, 2, 3].map(() => make()));
  expect(made.filter((result) => result.made.includes('service-account'))).toHaveLength(1);
  expect(createPrivateKey(readFileSync(path)).asymmetricKeyType).toBe('ec');
});

test('certificates in use are renewed in time, for the hosts that they had; the authority and the key of tokens stay', async () => {
  const now = Date.now();
  await make(['api.test', '10.1.2.3', 'fd00::5'], now);
  const stays = ['ca.crt', 'ca.key', 'etcd-ca.crt', 'service-account.key'];
  const before = stays.map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(await renew(now + 334 * dayMs)).toMatchObject({ made: [], expiring: [] });
  for (const round of [1, 2]) {
    const at = now + round * 336 * dayMs;
    expect(await renew(at)).toMatchObject({ made: ['server', ...clients, 'etcd'], expiring: [] });
    for (const name of ['server', 'etcd']) {
      expect(read(name).checkHost('api.test')).toBe('api.test');
      for (const address of ['10.1.2.3', 'fd00::5', '::1']) expect(read(name).checkIP(address)).toBe(address);
      expect(read(name).subjectAltName?.split(', ')).toHaveLength(6);
    }
    expect(read('admin').subjectAltName).toBeUndefined();
  }
  expect(stays.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(before);
});

test('an authority that expires soon, or is gone, is not replaced while it is in use', async () => {
  await make();
  const before = readFileSync(join(folder, 'ca.crt'), 'utf8');
  expect(await renew(Date.now() + 3640 * dayMs)).toMatchObject({ expiring: ['ca', 'etcd-ca'] });
  expect(readFileSync(join(folder, 'ca.crt'), 'utf8')).toBe(before);
  rmSync(join(folder, 'ca.crt'));
  expect(await errorOf(renew(Date.now()))).toBe('CERTIFICATE_INVALID');
  expect(existsSync(join(folder, 'ca.crt'))).toBe(false);
});

test('a clock that is behind by hours takes new certificates and their authorities for valid', async () => {
  const now = Date.now();
  await make([], now);
  for (const name of pairs)
    expect(read(name).validFromDate.getTime()).toBeLessThanOrEqual(now - 14 * 3_600_000);
});

test('certificates of a clock that ran ahead are replaced once it is right', async () => {
  const now = Date.now();
  await make([], now);
  await renew(now + 400 * dayMs);
  expect(read('server').validFromDate.getTime()).toBeGreaterThan(now);
  expect((await renew(now)).made).toEqual(['server', ...clients, 'etcd']);
  expect(read('server').validFromDate.getTime()).toBeLessThanOrEqual(now);
});
