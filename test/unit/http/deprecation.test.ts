/** What the operator learns of the use of deprecated versions: a gauge, and a line in the log for each client and API. */
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { FirstUses } from '../../../src/http/filters/first-uses.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { buildCatalogue } from '../../../src/registry/catalogue/catalogue.ts';
import { deprecationWarnings } from '../../support/http/deprecation-warnings.ts';
import { entryOf } from '../../support/http/fake-verbs.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const path = '/apis/apps/v1beta1/namespaces/x/deployments/d';

let folder: TempFolder;
let room: HttpRoom;

beforeEach(async () => {
  folder = await makeTempFolder('deprecation');
  room = await openRoom(folder.path);
  room.verbs.entries = [
    entryOf({ kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'd' } }, 'x/d', 4),
  ];
});

afterEach(async () => {
  await room.close();
  await folder.remove();
});

function beUser(name: string): void {
  const user = { name, uid: '', groups: ['system:authenticated'], extra: {} };
  room.authenticate = () => Promise.resolve({ outcome: 'authenticated', user, authenticator: 'test' });
}

const lines = (): unknown[] =>
  room.logs.filter(({ message }) => message === 'a deprecated API is used').map(({ fields }) => fields);

test('each client gets one line in the log for each API, whatever the number of its requests', async () => {
  for (const name of ['ann', 'bob', 'ann']) {
    beUser(name);
    await room.ask(path, { headers: { 'user-agent': `agent of ${name}` } });
  }
  const api = { group: 'apps', version: 'v1beta1', resource: 'deployments', subresource: '' };
  expect(lines()).toEqual([
    { user: 'ann', userAgent: 'agent of ann', ...api, removedRelease: '1.25' },
    { user: 'bob', userAgent: 'agent of bob', ...api, removedRelease: '1.25' },
  ]);
});

test('the own controllers are warned, and neither counted nor logged', async () => {
  beUser('system:orch-controller-manager');
  const answer = await room.ask(path);
  expect(answer.headers['warning']).toContain('is deprecated');
  expect(lines()).toEqual([]);
  expect(await room.metrics.text()).not.toMatch(/^apiserver_requested_deprecated_apis\{/m);
});

describe('first uses', () => {
  const clock = { now: () => 0, monotonic: () => time };
  let time = 0;
  beforeEach(() => {
    time = 0;
  });

  test('are first once a day', () => {
    const uses = new FirstUses(clock);
    expect([uses.isFirst('a'), uses.isFirst('a'), uses.isFirst('b')]).toEqual([true, false, true]);
    time = 86_400_000;
    expect(uses.isFirst('a')).toBe(true);
  });

  test('are bounded, however many names a client invents', () => {
    const uses = new FirstUses(clock);
    const first = Array.from({ length: 5_000 }, (_, i) => uses.isFirst(String(i))).filter(Boolean);
    expect(first).toHaveLength(1_000);
  });
});

describe('Endpoints', () => {
  const catalogueOf = (minor: number) =>
    buildCatalogue({
      ...{ naming: namingProfiles.kubernetes, groups: builtInGroups, release: { major: 1, minor } },
      schemas: loadCatalogueSchemas(namingProfiles.kubernetes, minor),
      isEnabled: () => true,
    });

  test.each([
    [32, []],
    [33, ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice']],
    [36, ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice']],
  ])('in 1.%d', (minor, warnings) => {
    const resource = catalogueOf(minor).resource('', 'v1', 'endpoints');
    if (!resource) throw new Error('no endpoints');
    expect(deprecationWarnings(resource, minor)).toEqual(warnings);
  });
});
