/** Names become addresses as in Go's resolver, and no name waits for another. */
import { createSocket, type Socket } from 'node:dgram';
import { lookup, type LookupAddress } from 'node:dns';
import { writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { HostNames } from '../../../src/base/host-names.ts';
import { fullNames, readDnsSettings, readHosts } from '../../../src/base/resolver-files.ts';
import { nameAsked, nameServerAnswer } from '../../support/name-server.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
let server: Socket;
/** Addresses of IPv4 by name; [] for none, 'silent' for no answer. Others are unknown. */
const known = new Map<string, readonly string[] | 'silent'>();
const asked: string[] = [];
const otherwise: string[] = [];
let names: HostNames;

beforeAll(async () => {
  folder = await makeTempFolder('host-names');
  server = createSocket('udp4', (question, { port, address }) => {
    const { name, type } = nameAsked(question);
    asked.push(`${type} ${name}`);
    const answer = known.get(name);
    if (answer === 'silent') return;
    server.send(nameServerAnswer(question, type === 'A' ? answer : answer && []), port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
});
beforeEach(async () => {
  for (const list of [asked, otherwise]) list.length = 0;
  known.clear();
  const [hosts, dnsSettings] = [join(folder.path, 'hosts'), join(folder.path, 'resolv.conf')];
  await writeFile(hosts, '127.0.0.1 localhost\n10.9.9.9 listed # and more\n::1 listed\n');
  await writeFile(
    dnsSettings,
    'nameserver 127.0.0.1\nsearch a.test b.test\noptions ndots:2 timeout:1 attempts:1\n',
  );
  names = new HostNames({
    ...{ hosts, dnsSettings, port: server.address().port },
    otherwise: (name) => {
      otherwise.push(name);
      return name === 'elsewhere'
        ? Promise.resolve([{ address: '10.7.7.7', family: 4 }])
        : Promise.reject(new Error());
    },
  });
});
afterAll(async () => {
  server.close();
  await folder.remove();
});

test('a name that is in the file of hosts is not asked for, and neither is this machine', async () => {
  expect(await names.addressesOf('Listed')).toEqual([
    { address: '10.9.9.9', family: 4 },
    { address: '::1', family: 6 },
  ]);
  expect((await names.addressesOf('localhost')).map(({ address }) => address)).toContain('127.0.0.1');
  expect(asked).toEqual([]);
});

test('servers are asked for a name in the domains that it may be relative to, and as it is', async () => {
  known.set('x.b.test', ['10.1.1.1', '10.1.1.2']).set('p.q.r', ['10.2.2.2']);
  expect((await names.addressesOf('x')).map(({ address }) => address)).toEqual(['10.1.1.1', '10.1.1.2']);
  expect(await names.addressesOf('p.q.r')).toEqual([{ address: '10.2.2.2', family: 4 }]);
  expect(asked.filter((one) => one.startsWith('A '))).toEqual(['A x.a.test', 'A x.b.test', 'A p.q.r']);
});

test('a name that nobody knows is ENOTFOUND, and other sources of the system are asked for it', async () => {
  known.set('empty.', []);
  await expect(names.addressesOf('nowhere')).rejects.toMatchObject({
    code: 'ENOTFOUND',
    message: 'lookup nowhere: no such host',
  });
  expect(await names.addressesOf('elsewhere')).toEqual([{ address: '10.7.7.7', family: 4 }]);
  expect(otherwise).toEqual(['nowhere', 'elsewhere']);
});

test('names of which no server says anything keep no other waiting, and each is asked for once', async () => {
  const silent = Array.from({ length: 20 }, (_, i) => `silent-${String(i)}.x.y`);
  for (const name of silent)
    known.set(name, 'silent').set(`${name}.a.test`, 'silent').set(`${name}.b.test`, 'silent');
  known.set('good.x.y', ['10.3.3.3']);
  let failed = 0;
  const failures = silent.flatMap((name) =>
    Array.from({ length: 64 }, () =>
      names.addressesOf(name).catch((error: unknown) => {
        failed += 1;
        return error;
      }),
    ),
  );
  expect(await names.addressesOf('good.x.y')).toEqual([{ address: '10.3.3.3', family: 4 }]);
  expect(await names.addressesOf('listed')).toHaveLength(2);
  // No thread of the process is taken: the C library answers, too.
  expect(
    await new Promise<unknown>((resolve) => lookup('127.0.0.1', (_error, found) => resolve(found))),
  ).toBe('127.0.0.1');
  expect(failed).toBe(0);
  expect(await failures[0]).toMatchObject({ code: 'EAI_AGAIN', message: 'lookup silent-0.x.y: i/o timeout' });
  await Promise.all(failures);
  expect(asked.filter((one) => one === 'A silent-0.x.y')).toHaveLength(1);
  expect(otherwise).toEqual([]);
}, 30_000);

test('a connection to a name leads to its address', async () => {
  const listening: Server = createServer((socket) => socket.end('hello'));
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  known.set('there.x.y', ['127.0.0.1']);
  const text = await new Promise((resolve, reject) => {
    connect({ host: 'there.x.y', port, lookup: names.lookup })
      .on('data', (data) => resolve(String(data)))
      .on('error', reject);
  });
  expect(text).toBe('hello');
  const one = await new Promise((resolve) => {
    names.lookup('there.x.y', { family: 4 }, (error, address, family) => resolve([error, address, family]));
  });
  expect(one).toEqual([null, '127.0.0.1', 4]);
  const none = await new Promise<[unknown, string | LookupAddress[]]>((resolve) => {
    names.lookup('there.x.y', { family: 6 }, (error, address) => resolve([error, address]));
  });
  expect(none[0]).toMatchObject({ code: 'ENOTFOUND' });
  listening.close();
});

test('settings are read as Go reads them', () => {
  const text =
    '# by hand\nnameserver 10.0.0.1\nnameserver fd00::1 ; second\nnameserver nonsense\nsearch x. y\n';
  expect(readDnsSettings(`${text}options ndots:99 timeout:0 attempts:3 rotate\n`)).toEqual({
    servers: ['10.0.0.1', 'fd00::1'],
    search: ['x', 'y'],
    ndots: 15,
    timeoutMs: 1_000,
    attempts: 3,
  });
  const usual = readDnsSettings('');
  expect(usual).toMatchObject({ servers: ['127.0.0.1', '::1'], search: [], ndots: 1, timeoutMs: 5_000 });
  expect(fullNames('a.b.', usual)).toEqual(['a.b']);
  expect(fullNames('a.b', { ...usual, search: ['c'], ndots: 5 })).toEqual(['a.b.c', 'a.b']);
  expect(fullNames('a.b', { ...usual, search: ['c'] })).toEqual(['a.b', 'a.b.c']);
});

test('a file of hosts may name an address often, and have lines that say nothing', async () => {
  const hosts = await readHosts('10.0.0.1 A b\r\n#10.0.0.2 c\nnonsense d\n\n10.0.0.3\ta');
  expect([...hosts]).toEqual([
    ['a', ['10.0.0.1', '10.0.0.3']],
    ['b', ['10.0.0.1']],
  ]);
});
