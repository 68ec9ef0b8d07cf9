/** Clients whose TLS sessions are resumed: each is whom a full handshake would make it, and nobody where that would fail. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import { findProgram } from '../../support/paths.ts';
import { makeAuthority, type Credential, type TestAuthority } from '../../support/pki.ts';
import { sendReviewOnce, type SessionAnswer } from '../../support/resumed-session.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Service } from '../../support/service.ts';

const openssl = findProgram('openssl');
if (openssl === undefined) console.log('openssl is not installed: it does not resume sessions');
const withOpenssl = openssl === undefined ? test.skip : test;

const versions: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3'];
const path = '/api/v1/pods';

let temporary: TempFolder;
let service: Service;
let users: TestAuthority;
let proxies: TestAuthority;
let clients: Record<'direct' | 'behind' | 'proxy' | 'stranger', Credential>;
const clientCa = (): string => join(temporary.path, 'client-ca.crt');

describe.each([1, 2])('with --workers=%i', (workers) => {
  beforeAll(async () => {
    temporary = await makeTempFolder('resumption');
    users = await makeAuthority(join(temporary.path, 'users'), 'authority of users');
    proxies = await makeAuthority(join(temporary.path, 'proxies'), 'authority of proxies');
    const strangers = await makeAuthority(join(temporary.path, 'strangers'), 'authority of users');
    const master = { commonName: 'ann', organizations: ['system:masters'] };
    clients = {
      direct: await users.client(master),
      behind: await (await (await users.intermediate('middle')).intermediate('lower')).client(master),
      proxy: await (await proxies.intermediate('proxies below')).client({ commonName: 'front-proxy' }),
      stranger: await (await strangers.intermediate('middle')).client(master),
    };
    writeFileSync(clientCa(), users.ca);
    service = await Service.start(temporary.path, [
      `--client-ca-file=${clientCa()}`,
      `--requestheader-client-ca-file=${proxies.caFile}`,
      `--workers=${String(workers)}`,
    ]);
  });
  afterAll(async () => {
    await service.child.stop();
    await temporary.remove();
  });

  const ask = (
    who: keyof typeof clients,
    maxVersion: SecureVersion,
    session?: Buffer,
  ): Promise<SessionAnswer> => {
    const { cert, key } = clients[who];
    const port = Number(new URL(service.url).port);
    const target = { port, rejectUnauthorized: false, cert, key, maxVersion, session };
    const headers = who === 'proxy' ? ['X-Remote-User: eve', 'X-Remote-Group: system:masters'] : [];
    return sendReviewOnce(target, path, headers);
  };

  /** Offers a session until it is resumed: each worker resumes its own. */
  async function askResumed(who: keyof typeof clients, version: SecureVersion): Promise<SessionAnswer> {
    const first = await ask(who, version);
    return waitFor('a resumed session', async () => {
      const next = await ask(who, version, first.session);
      expect(next.status).toBe(first.status);
      return next.isResumed && next;
    });
  }

  test.each(
    versions.flatMap((version) =>
      (['direct', 'behind', 'proxy'] as const).map((who) => [who, version] as const),
    ),
  )('%s over %s is known on every connection, resumed or not', async (who, version) => {
    let last = await askResumed(who, version);
    for (let i = 0; i < 6; i += 1) {
      expect(last.status).toBe(200);
      last = await ask(who, version, last.session);
    }
  });

  withOpenssl.each(['-tls1_2', '-tls1_3'])(
    'openssl s_client %s that keeps its session is known by way of its intermediates',
    async (version) => {
      const session = join(temporary.path, `session${version}`);
      const first = askByOpenssl(clients.behind, [version, '-sess_out', session]);
      expect(first).toMatch(/HTTP\/1\.1 200 /);
      expect(first).toMatch(/^New, /m);
      // Each worker resumes its own sessions.
      await waitFor('a resumed session', () => {
        const next = askByOpenssl(clients.behind, [version, '-sess_in', session]);
        expect(next).toMatch(/HTTP\/1\.1 200 /);
        return /^Reused, /m.test(next);
      });
    },
  );

  /** What `openssl s_client` prints of a request: the handshake and the answer. */
  function askByOpenssl({ cert, keyFile }: Credential, words: readonly string[]): string {
    const [own = '', ...above] = cert.split(/(?=-----BEGIN)/).filter((text) => text.includes('BEGIN'));
    expect(above.length).toBeGreaterThan(1);
    const [certFile, chainFile] = ['own.crt', 'above.crt'].map((name) => join(temporary.path, name));
    writeFileSync(certFile ?? '', own);
    writeFileSync(chainFile ?? '', above.join(''));
    const identity = ['-cert', certFile ?? '', '-key', keyFile, '-cert_chain', chainFile ?? ''];
    const target = ['-connect', `127.0.0.1:${new URL(service.url).port}`, '-ign_eof'];
    const { stdout, stderr } = spawnSync(openssl ?? '', ['s_client', ...target, ...identity, ...words], {
      input: `GET ${path} HTTP/1.1\r\nHost: api\r\nConnection: close\r\n\r\n`,
      ...{ encoding: 'utf8', timeout: 10_000 },
    });
    return stdout + stderr;
  }

  test.each(versions)('a stranger with a chain of the same names is nobody over %s', async (version) => {
    expect((await askResumed('stranger', version)).status).toBe(401);
  });

  test.each(versions)('a session of %s does not outlive its authority', async (version) => {
    const before = await askResumed('behind', version);
    const open = await askResumed('direct', version);
    const other = await makeAuthority(join(temporary.path, `other-${version}`), 'another authority');
    writeFileSync(clientCa(), other.ca);
    await waitFor(
      'the other authority',
      async () => (await ask('behind', version, before.session)).status === 401,
    );
    expect((await ask('direct', version, open.session)).status).toBe(401);
    writeFileSync(clientCa(), users.ca);
    await waitFor(
      'the first authority',
      async () => (await ask('behind', version, before.session)).status === 200,
    );
    expect((await askResumed('behind', version)).status).toBe(200);
  });
});
