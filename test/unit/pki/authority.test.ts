/** Authorities are never replaced by others on their own: whoever trusts one goes on, whatever the clock says. */
import { X509Certificate } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../../src/base/start-error.ts';
import { makeAuthority, makeCertificate } from '../../../src/pki/issue.ts';
import { ensurePki, renewCertificates } from '../../../src/pki/folder.ts';
import type { PkiResult } from '../../../src/pki/types.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const dayMs = 86_400_000;
const yearMs = 365 * dayMs;
let temporary: TempFolder;
let folder: string;

beforeEach(async () => {
  temporary = await makeTempFolder('authority');
  folder = join(temporary.path, 'pki');
});
afterEach(() => temporary.remove());

const make = (now: number): Promise<PkiResult> => ensurePki({ folder, hosts: [], now });
const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
const read = (name: string): X509Certificate => new X509Certificate(text(`${name}.crt`));

async function errorOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  return error instanceof StartError ? error.message : String(error);
}

function isValidAt(certificate: X509Certificate, time: number): boolean {
  return certificate.validFromDate.getTime() <= time && time < certificate.validToDate.getTime();
}

/** Whoever has this authority trusts what is there now. */
function expectTrusted(authority: X509Certificate): void {
  for (const name of ['server', 'admin']) {
    expect(read(name).checkIssued(authority)).toBe(true);
    expect(read(name).verify(authority.publicKey)).toBe(true);
  }
}

const made = Date.now();
const clocks: readonly (readonly [string, number])[] = [
  ['11 years ahead', 11 * yearMs],
  ['at the end of its validity', 3_640 * dayMs],
  ['56 years behind', -56 * yearMs],
];

test.each(clocks)('a clock that is %s cuts off nobody, also once it is right', async (_, shift) => {
  await make(made);
  const [before, key] = [read('ca'), text('ca.key')];
  const { renewed } = await make(made + shift);
  expect(renewed.map(({ name }) => name)).toEqual(expect.arrayContaining(['ca', 'etcd-ca']));
  expectTrusted(before);
  expect(isValidAt(read('ca'), made + shift)).toBe(true);
  expect(isValidAt(read('server'), made + shift)).toBe(true);
  const again = await make(made);
  expect(again.kept).toEqual(expect.arrayContaining(['ca', 'etcd-ca']));
  expectTrusted(before);
  expect([text('ca.key'), read('ca').subject]).toEqual([key, before.subject]);
  for (const name of ['ca', 'server']) expect(isValidAt(read(name), made)).toBe(true);
});

test.each(clocks)('made by a clock that was %s, all is good once it is right', async (_, shift) => {
  await make(made + shift);
  const key = text('ca.key');
  await make(made);
  for (const name of ['ca', 'server', 'admin', 'etcd-ca', 'etcd'])
    expect(isValidAt(read(name), made)).toBe(true);
  expectTrusted(read('ca'));
  expect(text('ca.key')).toBe(key);
});

test('a clock that is 11 months ahead makes nothing that is not valid by the right one', async () => {
  await make(made + 335 * dayMs);
  for (const name of ['ca', 'server', 'admin', 'etcd']) expect(isValidAt(read(name), made)).toBe(true);
  expect(await make(made)).toMatchObject({ made: [] });
});

test('a renewed authority is one, and says why it was renewed', async () => {
  await make(made);
  const before = read('ca');
  const { renewed } = await make(made + 3_640 * dayMs);
  const ca = read('ca');
  expect([ca.ca, ca.verify(ca.publicKey), ca.serialNumber === before.serialNumber]).toEqual([
    true,
    true,
    false,
  ]);
  expect(renewed[0]?.why).toBe(`it is valid until ${before.validToDate.toISOString()}`);
  expect(ca.validFromDate).toEqual(before.validFromDate);
});

test('the farthest time that a certificate can tell is its end', async () => {
  await make(Date.UTC(9998, 0));
  expect(read('ca').validToDate.getUTCFullYear()).toBe(9999);
});

const unusable: readonly (readonly [string, number, RegExp])[] = [
  ['not yet valid', -10 * yearMs, /ca\.crt is valid from 20.*Z on, by the clock it is 20/],
  ['expired', 11 * yearMs, /ca\.crt is valid until 20.*Z, by the clock it is 20/],
];
const remedy = /set the clock right; .* restore .*ca\.key .*, or delete .*ca\.crt .*\[CERTIFICATE_INVALID\]$/;

test.each(unusable)(
  'an authority that is %s and has no key is named, and nothing is changed',
  async (...at) => {
    const [, shift, why] = at;
    await make(made);
    rmSync(join(folder, 'ca.key'));
    const before = ['ca.crt', 'server.crt'].map(text);
    const error = await errorOf(make(made + shift));
    expect(error).toMatch(why);
    expect(error).toMatch(remedy);
    expect(['ca.crt', 'server.crt'].map(text)).toEqual(before);
  },
);

test('one that expires soon and has no key is kept, and told', async () => {
  await make(made);
  await renewCertificates({ folder, hosts: [], now: made + 3_600 * dayMs });
  rmSync(join(folder, 'ca.key'));
  const before = text('ca.crt');
  expect(await make(made + 3_630 * dayMs)).toMatchObject({ expiring: ['ca'] });
  expect(text('ca.crt')).toBe(before);
});

test('one that another authority has signed is not made anew', async () => {
  await make(made);
  const root = makeAuthority('root', made);
  const below = makeCertificate(
    root,
    { commonName: 'below', organizations: [], hosts: [], usages: [] },
    made,
  );
  writeFileSync(join(folder, 'ca.crt'), below.certificate);
  writeFileSync(join(folder, 'ca.key'), below.key);
  expect(await errorOf(make(made + 11 * yearMs))).toMatch(/ca\.crt .*\[CERTIFICATE_INVALID\]$/);
  expect(text('ca.crt')).toBe(below.certificate);
});

test('while it is in use, certificates are not renewed below an authority that is not valid', async () => {
  await make(made);
  const before = text('server.crt');
  const error = await errorOf(renewCertificates({ folder, hosts: [], now: made - 10 * yearMs }));
  expect(error).toMatch(/ca\.crt is valid from .*\[CERTIFICATE_INVALID\]$/);
  expect(text('server.crt')).toBe(before);
});

test('what is made in place of another says why', async () => {
  await make(made);
  copyFileSync(join(folder, 'etcd.key'), join(folder, 'server.key'));
  rmSync(join(folder, 'admin.key'));
  const { renewed } = await ensurePki({ folder, hosts: ['new.test'], now: made });
  expect(renewed).toEqual([
    { name: 'server', why: 'its key is that of another' },
    { name: 'admin', why: 'its key is missing' },
    { name: 'etcd', why: 'it lacks new.test' },
  ]);
});
