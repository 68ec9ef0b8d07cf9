/** Certificates in use are looked at by the hour, whatever happens to them or to the clock. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import type { Logger } from '../../../src/observe/log.ts';
import { ensurePki } from '../../../src/pki/folder.ts';
import { keepCertificates } from '../../../src/server/certificate-renewal.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let temporary: TempFolder;
let folder: string;
let clock: HandClock;
let said: string[];
let rewrites: number;
let fails: boolean;
let stop: () => Promise<void>;

beforeEach(async () => {
  temporary = await makeTempFolder('certificate-renewal');
  folder = join(temporary.path, 'pki');
  clock = new HandClock(Date.now());
  [said, rewrites, fails] = [[], 0, false];
  await ensurePki({ folder, hosts: [], now: clock.now() });
  const say = (message: string): void => void said.push(message);
  const logger = { debug: say, info: say, warn: say, error: say } as unknown as Logger;
  const renewed = async (): Promise<void> => {
    if (fails) throw new Error('a full disk');
    rewrites += 1;
  };
  stop = keepCertificates({ pki: { folder, hosts: [] }, clock, logger, renewed });
});
afterEach(async () => {
  await stop();
  await temporary.remove();
});

const server = (): X509Certificate => new X509Certificate(readFileSync(join(folder, 'server.crt')));

/** Waits until the loop waits again. */
async function advance(ms: number): Promise<void> {
  clock.advance(ms);
  await waitFor('the look to end', () => clock.timers === 1);
}

test('over three years the certificates are always good for more than 23 days, and each is renewed three times', async () => {
  const names = new Set<string>();
  for (let days = 0; days < 3 * 365; days += 6) {
    await advance(6 * dayMs);
    names.add(server().serialNumber);
    expect(server().validToDate.getTime() - clock.now()).toBeGreaterThan(23 * dayMs);
  }
  expect([names.size, rewrites]).toEqual([4, 3]);
  expect(said).toEqual(Array(3).fill('certificates that were about to expire are renewed'));
});

test('a folder that cannot be written is tried again by the hour', async () => {
  const aside = `${folder}-aside`;
  await advance(330 * dayMs);
  renameSync(folder, aside);
  mkdirSync(folder);
  await advance(6 * dayMs);
  expect(said).toEqual(['certificates of the PKI cannot be renewed']);
  await advance(hourMs);
  expect(said).toHaveLength(2);
  rmSync(folder, { recursive: true });
  renameSync(aside, folder);
  chmodSync(folder, 0o700);
  await advance(hourMs);
  expect(said.at(-1)).toBe('certificates that were about to expire are renewed');
  expect(rewrites).toBe(1);
});

test('what follows a renewal and fails is done an hour later', async () => {
  fails = true;
  await advance(340 * dayMs);
  const { serialNumber } = server();
  expect([rewrites, said.at(-1)]).toEqual([0, 'certificates of the PKI cannot be renewed']);
  fails = false;
  await advance(hourMs);
  expect([rewrites, server().serialNumber]).toEqual([1, serialNumber]);
  await advance(hourMs);
  expect(rewrites).toBe(1);
});
