/** `/statusz` and `/flagz` (KEP-4827, KEP-4828). */
import { componentVersions, flagzRoute, statuszRoute } from '../../../src/http/plain/component-routes.ts';
import { versionInfo } from '../../../src/http/plain/info-routes.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
let room: HttpRoom;
const clock = new HandClock();

beforeAll(async () => {
  folder = await makeTempFolder('components');
  const flags = { 'etcd-servers': 'https://root:secret@a:1,https://b:2', 'audit-log-path': '/var/log/a@b' };
  const version = versionInfo('0.2.0', { major: 1, minor: 36 });
  const objects = componentVersions('orch.io', { major: 1, minor: 36 });
  const plainRoutes = [statuszRoute({ clock, version, objects }), flagzRoute(flags, { objects })];
  room = await openRoom(folder.path, { plainRoutes });
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

test('how long it runs, and what it is', async () => {
  clock.advance(3_600_000 + 65_000);
  const { code, headers, text } = await room.ask('/statusz');
  expect([code, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toContain('kube-apiserver statusz\nWarning: ');
  expect(text).toContain('\nUp: 1 hr 01 min 05 sec\n');
  expect(text).toContain('\nBinary version: 1.36.0+orch.0.2.0\nEmulation version: 1.36\n');
});

test('flags by name, without credentials', async () => {
  const { text } = await room.ask('/flagz');
  expect(text.split('\n').slice(-3)).toEqual([
    'audit-log-path=/var/log/a@b',
    'etcd-servers=https://CLASSIFIED@a:1,https://b:2',
    '',
  ]);
  expect(text).not.toContain('secret');
});

describe('as objects', () => {
  const as = (kind: string, version: string, type = 'application/json'): string =>
    `${type};as=${kind};v=${version};g=config.orch.io`;
  const ask = (path: string, accept: string) => room.ask(path, { headers: { accept } });

  test('the state of the process, in the version that the client names', async () => {
    const answer = await ask('/statusz', as('Statusz', 'v1beta1'));
    expect([answer.code, answer.headers['content-type'], answer.headers['warning']]).toEqual([
      ...[200, 'application/json', undefined],
    ]);
    expect(answer.json()).toEqual({
      kind: 'Statusz',
      apiVersion: 'config.orch.io/v1beta1',
      metadata: { name: 'kube-apiserver' },
      startTime: '1970-01-01T00:00:00Z',
      uptimeSeconds: Math.floor(clock.monotonic() / 1_000),
      goVersion: expect.any(String) as string,
      binaryVersion: '1.36.0+orch.0.2.0',
      emulationVersion: '1.36',
      paths: ['/healthz', '/livez', '/readyz', '/metrics', '/version'],
    });
  });

  test('flags, also as YAML; an older version is warned of', async () => {
    const answer = await ask('/flagz', as('Flagz', 'v1alpha1', 'application/yaml'));
    expect(answer.headers['content-type']).toBe('application/yaml');
    expect(answer.headers['warning']).toContain('This version of the flagz endpoint is deprecated');
    expect(answer.text).toMatch(
      /^apiVersion: config\.orch\.io\/v1alpha1\nkind: Flagz\n[^]*\nflags:\n {2}audit-log-path: /,
    );
    expect(answer.text).not.toContain('secret');
  });

  test('text where it is preferred or nothing is; nothing else', async () => {
    for (const accept of ['*/*', 'text/plain', `text/plain, ${as('Flagz', 'v1beta1')};q=0.5`])
      expect([accept, (await ask('/flagz', accept)).headers['content-type']]).toEqual([
        ...[accept, 'text/plain; charset=utf-8'],
      ]);
    for (const accept of ['application/json', as('Flagz', 'v9'), as('Statusz', 'v1beta1'), 'text/html'])
      expect([accept, (await ask('/flagz', accept)).code]).toEqual([accept, 406]);
  });

  test('of releases before 1.35 there are none', () => {
    expect(componentVersions('orch.io', { major: 1, minor: 34 }).versions).toEqual([]);
    expect(componentVersions('orch.io', { major: 1, minor: 35 }).versions).toEqual(['v1alpha1']);
  });
});

test.each([21, 26, 32])('/version of release 1.%d has no more fields than that release', (minor) => {
  expect(Object.keys(versionInfo('0.2.0', { major: 1, minor }))).toEqual([
    ...['major', 'minor', 'gitVersion', 'gitCommit', 'gitTreeState', 'buildDate'],
    ...['goVersion', 'compiler', 'platform'],
  ]);
});

test('from release 1.33 on it tells which release is emulated, and which it works together with', () => {
  expect(Object.entries(versionInfo('0.2.0', { major: 1, minor: 36 })).slice(0, 7)).toEqual([
    ...[
      ['major', '1'],
      ['minor', '36'],
      ['emulationMajor', '1'],
      ['emulationMinor', '36'],
    ],
    ...[
      ['minCompatibilityMajor', '1'],
      ['minCompatibilityMinor', '35'],
      ['gitVersion', 'v1.36.0+orch.0.2.0'],
    ],
  ]);
});
