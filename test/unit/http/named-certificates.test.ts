/** Certificates by name: which one a client is shown, over HTTP/1.1 and HTTP/2, and after the certificates change. */
import { connect as connectHttp2 } from 'node:http2';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { NamedCertificate } from '../../../src/http/named-certificates.ts';
import { createHttpServer, type HttpServer, type ServerTls } from '../../../src/http/server.ts';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import { commandOf, parseFlags } from '../../../src/cli/parse-flags.ts';
import { takenFlags } from '../../../src/options/serve-flags.ts';
import { FileCheck } from '../../../src/options/file-check.ts';
import { readNamedCertificates } from '../../../src/options/named-certificate-options.ts';
import type { StartErrorDetail } from '../../../src/base/start-error.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { keyUpdates, shakeHands } from '../../support/key-updates.ts';
import { makeAuthority, type Credential, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
let authority: TestAuthority;
let main: Credential;
let server: HttpServer;

const certificate = async (
  name: string,
  hosts: string[],
  names: string[] = [],
): Promise<NamedCertificate> => {
  const { cert, key } = await authority.server(name, hosts);
  return { cert, key, names };
};
const tlsOf = (...named: NamedCertificate[]): ServerTls => ({
  ...{ cert: main.cert, key: main.key, clientCa: authority.ca },
  named,
});

beforeAll(async () => {
  folder = await makeTempFolder('named-certificates');
  authority = await makeAuthority(folder.path);
  main = await authority.server('main', ['main.test', 'deep.wild.test']);
  const named = [
    await certificate('given', ['unused.test'], ['given.test', '*.wild.test']),
    await certificate('own.test', ['alias.test', '*.san.test', 'exact.wild.test']),
    await certificate('later', ['own.test'], []),
    await certificate('stronger', [], ['alias.test']),
  ];
  const handler = Object.assign(
    (_req: unknown, res: { end: (text: string) => unknown }) => void res.end('served'),
    { drain: () => undefined },
  );
  const logger = createLogger({ clock: systemClock, level: 'silent' });
  server = await createHttpServer({ host: '127.0.0.1', port: 0, tls: tlsOf(...named), handler, logger });
});
afterAll(async () => {
  await server.close(100);
  await folder.remove();
});

async function open(options: ConnectionOptions): Promise<TLSSocket> {
  const checks = { ca: authority.ca, checkServerIdentity: () => undefined };
  const socket = connect({ host: '127.0.0.1', port: server.port, ...checks, ...options });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  return socket;
}

/** The common name of the certificate that a client is shown. */
async function shown(servername: string, options: ConnectionOptions = {}): Promise<string> {
  const socket = await open({ ...(servername !== '' && { servername }), ...options });
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

test('changes of keys are counted under a named certificate, too', async () => {
  const target = { port: server.port, ca: authority.ca, servername: 'given.test' };
  const { socket, secret } = await shakeHands({ ...target, checkServerIdentity: () => undefined });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(keyUpdates(101, secret));
  await closed;
});

test.each([
  ['given.test', 'given', 'a given name'],
  ['GIVEN.test', 'given', 'in other letters'],
  ['any.wild.test', 'given', 'a given pattern'],
  ['exact.wild.test', 'own.test', 'a name of a certificate before a pattern that is given'],
  ['deep.any.wild.test', 'main', 'a pattern stands for one label'],
  ['wild.test', 'main', 'a pattern stands for a label'],
  ['own.test', 'own.test', 'the common name, of the earlier certificate'],
  ['x.san.test', 'own.test', 'a pattern of a certificate'],
  ['alias.test', 'stronger', 'a given name before that of an earlier certificate'],
  ['unused.test', 'main', 'names of a certificate whose names are given do not count'],
  ['other.test', 'main', 'an unknown name'],
  ['', 'main', 'no name'],
])('%s: %s (%s)', async (name, want) => {
  expect(await shown(name)).toBe(want);
  expect(await shown(name, { maxVersion: 'TLSv1.2' })).toBe(want);
});

test('a client that verifies the host is content with the certificate of its name', async () => {
  const socket = connect({
    ...{ host: '127.0.0.1', port: server.port, servername: 'x.san.test', ca: authority.ca },
  });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  expect(socket.authorized).toBe(true);
  socket.destroy();
});

test('HTTP/2 and client certificates with a certificate by name', async () => {
  const { cert, key } = await authority.client({ commonName: 'ann' });
  const how = { ca: authority.ca, servername: 'x.san.test', cert, key };
  const session = connectHttp2(`https://127.0.0.1:${String(server.port)}`, how);
  const stream = session.request({ ':path': '/' });
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += String(chunk);
  const socket = session.socket as TLSSocket;
  expect([text, session.alpnProtocol, socket.getPeerCertificate().subject.CN]).toEqual([
    'served',
    'h2',
    'own.test',
  ]);
  session.destroy();
});

test('a session is resumed for the name that it was made for', async () => {
  const options = { maxVersion: 'TLSv1.2', servername: 'given.test' } as const;
  const first = await open(options);
  const session = first.getSession();
  first.destroy();
  const again = await open({ ...options, session });
  const other = await open({ ...options, servername: 'own.test', session });
  expect([again.isSessionReused(), other.getPeerCertificate().subject.CN]).toEqual([true, 'own.test']);
  for (const socket of [again, other]) socket.destroy();
});

test('changed certificates are shown to new connections', async () => {
  server.setTls(tlsOf(await certificate('renewed', [], ['given.test'])));
  expect([await shown('given.test'), await shown('own.test')]).toEqual(['renewed', 'main']);
});

describe('the flag', () => {
  const read = async (...values: string[]) => {
    const words = values.map((value) => `--tls-sni-cert-key=${value}`);
    const { texts } = parseFlags(commandOf('', '', takenFlags), takenFlags, words);
    return configFromFlags(texts);
  };

  test('is repeated, with names and without', async () => {
    const { config, errors } = await read('a.crt, a.key', 'b.crt,b.key: *.b.test,b.test');
    expect([errors, config.flagWarnings, config.namedCertificates]).toEqual([
      [],
      [],
      [
        { certFile: 'a.crt', keyFile: 'a.key', names: [] },
        { certFile: 'b.crt', keyFile: 'b.key', names: ['*.b.test', 'b.test'] },
      ],
    ]);
  });

  test.each(['a.crt', 'a.crt,a.key,b.crt', 'a.crt,', ',a.key:x', 'a,b:x.*.test', 'a,b:x y'])(
    '%s is an error',
    async (value) => {
      expect((await read(value)).errors.map(({ code }) => code)).toEqual(['FLAG_VALUE']);
    },
  );

  test('an address as name is accepted with a warning: clients do not ask for addresses', async () => {
    const { config, errors } = await read('a,b:10.0.0.1,c.test');
    expect([errors, config.flagWarnings]).toEqual([
      [],
      [expect.stringContaining('the address 10.0.0.1 has no effect')],
    ]);
  });

  test('files are read and checked', async () => {
    const [one, two] = [await authority.server('one'), await authority.server('two')];
    const errors: StartErrorDetail[] = [];
    const namedCertificates = [
      { certFile: one.certFile, keyFile: one.keyFile, names: ['a.test'] },
      { certFile: one.certFile, keyFile: two.keyFile, names: [] },
    ];
    const read = await readNamedCertificates({ namedCertificates }, new FileCheck(errors));
    expect(read).toEqual([{ cert: one.cert, key: one.key, names: ['a.test'] }]);
    expect(errors).toMatchObject([{ code: 'KEY_MISMATCH', remedy: 'correct --tls-sni-cert-key' }]);
  });
});
