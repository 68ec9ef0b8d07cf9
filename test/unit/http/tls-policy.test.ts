/** Versions and cipher suites that flags allow, in real handshakes. */
import { connect, type ConnectionOptions } from 'node:tls';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import type { FlagTexts } from '../../../src/options/serve-flags.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
beforeAll(async () => {
  folder = await makeTempFolder('tls-policy');
});
afterAll(() => folder.remove());

/** Version and suite that server and client agree to with these flags; undefined if they do not. */
async function agreed(texts: FlagTexts, client: ConnectionOptions): Promise<string | undefined> {
  const { config, errors } = await configFromFlags(texts);
  expect(errors).toEqual([]);
  const room = await openRoom(folder.path, { tlsPolicy: config.tlsPolicy });
  const target = { host: '127.0.0.1', port: room.server.port, ca: room.authority.ca };
  const socket = connect({ ...target, ...client });
  const spoken = await new Promise<string | undefined>((resolve) => {
    socket.once('secureConnect', () => resolve(`${String(socket.getProtocol())} ${socket.getCipher().name}`));
    socket.once('error', () => resolve(undefined));
  });
  socket.destroy();
  await room.close();
  return spoken;
}

const old: ConnectionOptions = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' };
const weak: ConnectionOptions = { ...old, ciphers: 'ECDHE-ECDSA-AES128-SHA' };

test('TLS 1.3 only', async () => {
  const texts = { 'tls-min-version': 'VersionTLS13' };
  expect(await agreed(texts, old)).toBeUndefined();
  expect(await agreed(texts, {})).toMatch(/^TLSv1\.3 /);
});

test('the suites that are named, and those of TLS 1.3', async () => {
  const texts = { 'tls-cipher-suites': 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384' };
  expect(await agreed(texts, old)).toBe('TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384');
  expect(await agreed(texts, { ...old, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).toBeUndefined();
  expect(await agreed(texts, {})).toMatch(/^TLSv1\.3 /);
});

test('a suite without authenticated encryption only where it is named', async () => {
  expect(await agreed({}, weak)).toBeUndefined();
  const texts = { 'tls-cipher-suites': 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA' };
  expect(await agreed(texts, weak)).toBe('TLSv1.2 ECDHE-ECDSA-AES128-SHA');
});

test('unknown versions and suites are errors', async () => {
  const { errors } = await configFromFlags({
    'tls-min-version': 'VersionTLS10',
    'tls-cipher-suites': 'TLS_AES_128_GCM_SHA256,TLS_RSA_WITH_RC4_128_SHA',
  });
  expect(errors.map(({ cause }) => cause)).toEqual([
    'flag --tls-min-version has the value "VersionTLS10"',
    'flag --tls-cipher-suites names TLS_RSA_WITH_RC4_128_SHA',
  ]);
});
