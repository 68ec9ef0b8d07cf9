/** Certificates, authorities and tokens that change on disk, taken up by a running service of one process or of two. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, renameSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { ensurePki } from '../../../src/pki/folder.ts';
import { makeAuthority, selfSigned, type Credential, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Service, type Ask } from '../../support/service.ts';

let temporary: TempFolder;
let authority: TestAuthority;
let service: Service;
const at = (name: string): string => join(temporary.path, name);

/** The certificate that one new connection is shown. */
async function shown(servername?: string): Promise<{ name: string; serial: string }> {
  const where = { port: Number(new URL(service.url).port), host: '127.0.0.1', ca: authority.ca };
  const socket = connect({ ...where, ...(servername !== undefined && { servername }) });
  try {
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    const { subject, serialNumber } = socket.getPeerCertificate();
    return { name: String(subject.CN), serial: serialNumber };
  } finally {
    socket.destroy();
  }
}

/** What `look` gives on as many new connections as reach every worker. */
async function everywhere<T>(look: () => Promise<T>): Promise<Set<T>> {
  return new Set([await look(), await look(), await look(), await look()]);
}

async function isEverywhere<T>(want: T, look: () => Promise<T>): Promise<boolean> {
  const seen = await everywhere(look);
  return seen.size === 1 && seen.has(want);
}

const name = async (): Promise<string> => (await shown()).name;
const statusOf = (ask: Partial<Ask>) => async (): Promise<number> =>
  (await service.ask({ path: '/api/v1/namespaces', ...ask })).status;

async function reloads(flag: string, result: string): Promise<number> {
  const { body } = await service.ask({ path: '/metrics', as: 'root' });
  const sample = new RegExp(
    `^apiserver_file_reloads_total\\{flag="${flag}",result="${result}"\\} (\\d+)$`,
    'm',
  );
  return Number(sample.exec(body)?.[1] ?? 0);
}

/** Puts the files of a credential, or its texts, in the place of another. */
function place(pair: Pick<Credential, 'cert' | 'key'>, base: string): void {
  writeFileSync(`${base}.crt`, pair.cert);
  writeFileSync(`${base}.key`, pair.key);
}

/** Every file that clients use lies where `Service` looks for them; the service itself has another data folder. */
async function prepare(): Promise<void> {
  const pki = at('pki');
  authority = await makeAuthority(pki);
  place(await authority.server('first'), at('serving'));
  place(await authority.server('named', ['shop.test']), at('named'));
  place(await authority.client({ commonName: 'root', organizations: ['system:masters'] }), join(pki, 'root'));
  writeFileSync(at('authorities'), authority.ca);
  writeFileSync(at('tokens'), 'first-token,bob,1,system:masters\n');
}

describe.each([1, 2])('with --workers=%i', (workers) => {
  beforeAll(async () => {
    temporary = await makeTempFolder('changed-files');
    await prepare();
    service = await Service.start(temporary.path, [
      `--data-dir=${at('data')}`,
      `--workers=${String(workers)}`,
      `--tls-cert-file=${at('serving.crt')}`,
      `--tls-private-key-file=${at('serving.key')}`,
      `--tls-sni-cert-key=${at('named.crt')},${at('named.key')}:shop.test`,
      `--client-ca-file=${at('authorities')}`,
      '--profiling=false',
      // Of credentials that are not yet, or no longer, known, a fast machine sends more than the limit while it waits.
      '--failed-authentication-qps=10000',
      '--failed-authentication-burst=10000',
      `--token-auth-file=${at('tokens')}`,
    ]);
  });
  afterAll(async () => {
    await service.child.stop();
    await temporary.remove();
  });

  test('a new serving certificate is shown to new connections; open ones stay', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await statusOf({ as: 'root', agent })()).toBe(200);
    expect(await everywhere(name)).toEqual(new Set(['first']));
    place(await authority.server('second'), at('serving'));
    await waitFor('the new certificate', () => isEverywhere('second', name));
    const [socket] = Object.values(agent.freeSockets).flat();
    expect(await statusOf({ as: 'root', agent })()).toBe(200);
    expect(Object.values(agent.freeSockets).flat()).toEqual([socket]);
    agent.destroy();
    expect(await reloads('tls-cert-file', 'success')).toBe(1);
    expect(await reloads('tls-cert-file', 'failure')).toBe(0);
  });

  test('a certificate without its key is reported and not used; the next valid pair is loaded', async () => {
    const third = await authority.server('third');
    writeFileSync(at('serving.crt'), third.cert);
    await waitFor('the refusal', async () => (await reloads('tls-cert-file', 'failure')) === 1);
    expect(await everywhere(name)).toEqual(new Set(['second']));
    expect(service.child.output()).toMatch(/changed files are invalid.*KEY_MISMATCH|KEY_MISMATCH/);
    rmSync(at('serving.crt'));
    await waitFor('another refusal', async () => (await reloads('tls-cert-file', 'failure')) === 2);
    expect(await everywhere(name)).toEqual(new Set(['second']));
    place(await selfSigned('RSA of 1024 bits'), at('serving'));
    await waitFor('a refusal for TLS', async () => (await reloads('tls-cert-file', 'failure')) === 3);
    expect(await everywhere(name)).toEqual(new Set(['second']));
    place(third, at('serving'));
    await waitFor('the third certificate', () => isEverywhere('third', name));
  });

  test('files that are exchanged by moving a link are seen', async () => {
    const fourth = await authority.server('fourth');
    for (const [file, target] of [
      ['serving.crt', fourth.certFile],
      ['serving.key', fourth.keyFile],
    ] as const) {
      symlinkSync(target, at('link'));
      renameSync(at('link'), at(file));
    }
    await waitFor('the fourth certificate', () => isEverywhere('fourth', name));
  });

  test('a certificate by name is loaded again, too, and its expiry is a metric', async () => {
    const ofShop = async (): Promise<string> => (await shown('shop.test')).name;
    expect(await everywhere(ofShop)).toEqual(new Set(['named']));
    place(await authority.server('renamed', ['shop.test']), at('named'));
    await waitFor('the new certificate', () => isEverywhere('renamed', ofShop));
    expect(await everywhere(name)).not.toContain('renamed');
    expect(await reloads('tls-sni-cert-key', 'success')).toBe(1);
    const { body } = await service.ask({ path: '/metrics', as: 'root' });
    expect(body).toMatch(
      /^apiserver_certificate_not_after_timestamp_seconds\{certificate="server-sni"\} \d/m,
    );
  });

  test('without profiles their paths do not exist', async () => {
    expect(await statusOf({ as: 'root', path: '/debug/pprof/heap' })()).toBe(404);
  });

  test('authorities of clients: one more is believed, one less is not', async () => {
    const other = await makeAuthority(at('other'), 'another authority');
    const eve = await other.client({ commonName: 'eve', organizations: ['system:masters'] });
    place(eve, at('pki/eve'));
    expect(await everywhere(statusOf({ as: 'eve' }))).toEqual(new Set([401]));
    writeFileSync(at('authorities'), `${authority.ca}\n${other.ca}\n`);
    await waitFor('eve to be known', () => isEverywhere(200, statusOf({ as: 'eve' })));
    expect(await everywhere(statusOf({ as: 'root' }))).toEqual(new Set([200]));
    writeFileSync(at('authorities'), 'no authority');
    await waitFor('the refusal', async () => (await reloads('client-ca-file', 'failure')) === 1);
    expect(await everywhere(statusOf({ as: 'eve' }))).toEqual(new Set([200]));
    writeFileSync(at('authorities'), authority.ca);
    await waitFor('eve to be unknown', () => isEverywhere(401, statusOf({ as: 'eve' })));
    expect(await everywhere(statusOf({ as: 'root' }))).toEqual(new Set([200]));
  });

  test('tokens: new ones are known, those that are gone are not, invalid files change nothing', async () => {
    const first = statusOf({ as: '', token: 'first-token' });
    const second = statusOf({ as: '', token: 'second-token' });
    expect([await first(), await second()]).toEqual([200, 401]);
    writeFileSync(at('tokens'), 'second-token,bob,1,system:masters\n');
    await waitFor('the second token', () => isEverywhere(200, second));
    expect(await everywhere(first)).toEqual(new Set([401]));
    writeFileSync(at('tokens'), 'third-token,bob\n');
    await waitFor('the refusal', async () => (await reloads('token-auth-file', 'failure')) === 1);
    expect(await everywhere(second)).toEqual(new Set([200]));
    expect(service.child.output()).toMatch(/TOKEN_FILE_INVALID/);
    expect(service.child.output()).not.toMatch(/(first|second|third)-token/);
  });

  test('a pipe without a writer in the place of a file holds up neither other files nor the stop', async () => {
    const known = await reloads('token-auth-file', 'failure');
    rmSync(at('tokens'));
    execFileSync('mkfifo', [at('tokens')]);
    await waitFor('the refusal', async () => (await reloads('token-auth-file', 'failure')) > known);
    const fifth = await authority.server('fifth');
    rmSync(at('serving.crt'));
    rmSync(at('serving.key'));
    place(fifth, at('serving'));
    await waitFor('the fifth certificate', () => isEverywhere('fifth', name));
    expect(await service.stop()).toBe(0);
  });
});

test("a pair of the data folder's PKI that is made anew is shown, a damaged key of it is told", async () => {
  temporary = await makeTempFolder('changed-pki');
  service = await Service.start(temporary.path);
  authority = { ...authority, ca: readFileSync(at('pki/ca.crt'), 'utf8') };
  const { serial } = await shown();
  rmSync(at('pki/server.crt'));
  await ensurePki({ folder: at('pki'), hosts: [] });
  await waitFor('another certificate', async () => (await shown()).serial !== serial);
  expect((await service.ask({ path: '/api/v1/namespaces' })).status).toBe(200);
  writeFileSync(at('pki/service-account.key'), 'no key');
  await waitFor('the word of a damaged key', () =>
    Promise.resolve(/TOKEN_KEY_INVALID/.test(service.child.output())),
  );
  await service.child.stop();
  await temporary.remove();
});
