import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

describe('plain routes', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;
  let problem = '';

  beforeAll(async () => {
    folder = await makeTempFolder('plain');
    room = await openRoom(folder.path);
    room.health.add({ name: 'etcd', groups: ['healthz', 'livez', 'readyz'], run: () => problem });
    room.health.addStartHook('start-follower')();
  });

  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  beforeEach(() => {
    problem = '';
  });

  test.each(['healthz', 'livez', 'readyz'])('/%s', async (group) => {
    const fine = await room.ask(`/${group}`);
    expect([fine.code, fine.text, fine.headers['content-type']]).toEqual([
      200,
      'ok',
      'text/plain; charset=utf-8',
    ]);
    const verbose = await room.ask(`/${group}?verbose`);
    const lines = verbose.text.split('\n');
    expect(lines).toContain('[+]ping ok');
    expect(lines).toContain('[+]poststarthook/start-follower ok');
    expect(lines.slice(-2)).toEqual(['healthz check passed', '']);
    problem = 'etcd: connection refused by 10.0.0.1';
    const bad = await room.ask(`/${group}`);
    expect(bad.code).toBe(500);
    expect(bad.text).toContain('[+]ping ok\n');
    expect(bad.text).toContain('[-]etcd failed: reason withheld\n');
    expect(bad.text.endsWith(`${group} check failed\n`)).toBe(true);
    expect(bad.text).not.toContain('10.0.0.1');
    expect(room.logs.some((l) => String(l.fields['problem']).includes('10.0.0.1'))).toBe(true);
  });

  test('a check that fails again and again has a line in the log', async () => {
    expect((await room.ask('/livez')).code).toBe(200);
    problem = 'away for hours';
    for (let i = 0; i < 50; i += 1) expect((await room.ask('/livez')).code).toBe(500);
    const told = room.logs.filter(
      ({ message, fields }) => message === 'a health check fails' && fields['group'] === 'livez',
    );
    expect(told.map(({ fields }) => fields['check'])).toEqual(['etcd']);
  });

  test('a check can be excluded; an unknown one is reported', async () => {
    problem = 'away';
    const answer = await room.ask('/readyz?verbose&exclude=etcd&exclude=nope');
    expect(answer.code).toBe(200);
    expect(answer.text).toContain('[+]etcd excluded: ok\n');
    expect(answer.text).toContain('cannot be excluded: no matches for "nope"');
  });

  test('single checks', async () => {
    problem = 'away';
    expect((await room.ask('/livez/ping')).text).toBe('ok');
    expect((await room.ask('/readyz/etcd')).code).toBe(500);
    expect((await room.ask('/livez/poststarthook/start-follower?verbose')).text).toBe(
      '[+]poststarthook/start-follower ok\nhealthz check passed\n',
    );
    expect((await room.ask('/livez/nope')).code).toBe(404);
    expect((await room.ask('/livez/shutdown')).code).toBe(404);
  });

  test('HEAD has no body', async () => {
    const answer = await room.ask('/readyz', { method: 'HEAD' });
    expect([answer.code, answer.text]).toEqual([200, '']);
  });

  test('/version names the interface release', async () => {
    expect((await room.ask('/version')).json()).toMatchObject({
      major: '1',
      minor: '21',
      gitVersion: expect.stringMatching(/^v1\.21\.0\+/) as string,
      platform: expect.stringContaining('/') as string,
    });
  });

  test('/metrics is Prometheus text', async () => {
    const answer = await room.ask('/metrics');
    expect(answer.headers['content-type']).toContain('text/plain; version=0.0.4');
    expect(answer.text).toContain('# TYPE apiserver_request_total counter');
  });

  test('requests are counted by the start of the path that serves them; unknown paths add no labels', async () => {
    for (const path of ['/livez', '/livez/ping', '/no/such/thing']) await room.ask(path);
    const labels = (start: string): string =>
      `verb="GET",dry_run="",group="",version="",resource="",subresource="${start}",scope="",component=""`;
    const text = await waitFor('the counts', async () => {
      const now = await room.metrics.text();
      return now.includes(`{${labels('/livez')},code="200"}`) && now.includes(`{${labels('')},code="404"}`)
        ? now
        : undefined;
    });
    expect(text).not.toContain('/no/such');
  });

  test('/ lists the paths', async () => {
    const { paths } = (await room.ask('/')).json() as { paths: string[] };
    for (const path of [
      '/api',
      '/api/v1',
      '/apis',
      '/apis/apps',
      '/apis/apps/v1',
      '/livez/etcd',
      '/metrics',
      '/version',
    ]) {
      expect(paths).toContain(path);
    }
    expect(paths).toEqual([...new Set(paths)].sort());
  });

  test.each([
    '/healthz/../metrics',
    '/health%7A/x',
    '//metrics',
    '/metrics/x',
    '/Version',
    '/api/v1/..',
    '/apis/apps/v1/%2e',
  ])('nothing hides behind %s', async (path) => {
    const answer = await room.ask(path);
    expect(answer.code).toBe(404);
  });
});

describe('discovery', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeAll(async () => {
    folder = await makeTempFolder('discovery');
    room = await openRoom(folder.path);
  });

  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  test('/api', async () => {
    for (const path of ['/api', '/api/']) {
      const serverAddress = `127.0.0.1:${String(room.server.port)}`;
      expect((await room.ask(path)).json()).toEqual({
        kind: 'APIVersions',
        versions: ['v1'],
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
      });
    }
  });

  test('/apis and a group, the preferred version first', async () => {
    const v1 = { groupVersion: 'apps/v1', version: 'v1' };
    const group = {
      name: 'apps',
      versions: [v1, { groupVersion: 'apps/v1beta1', version: 'v1beta1' }],
      preferredVersion: v1,
    };
    expect((await room.ask('/apis')).json()).toEqual({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [group],
    });
    expect((await room.ask('/apis/apps')).json()).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...group });
  });

  test('resources of a version by name, with subresources', async () => {
    const list = (await room.ask('/api/v1')).json() as { resources: { name: string }[] };
    expect(list).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    expect(list.resources.map((r) => r.name)).toEqual([
      'bindings',
      'namespaces',
      'namespaces/status',
      'nodes',
      'pods',
      'pods/binding',
      'pods/status',
    ]);
    expect(list.resources[4]).toEqual({
      name: 'pods',
      singularName: '',
      namespaced: true,
      kind: 'Pod',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['po'],
      categories: ['all'],
      storageVersionHash: expect.stringMatching(/^[A-Za-z0-9+/]{11}=$/) as string,
    });
    expect(list.resources[5]).toEqual({
      name: 'pods/binding',
      singularName: '',
      namespaced: true,
      kind: 'Binding',
      verbs: ['create'],
    });
    expect(list.resources[0]).not.toHaveProperty('storageVersionHash');
  });

  test('equal storage, equal hash in every version', async () => {
    const hashOf = async (version: string): Promise<unknown> => {
      const list = (await room.ask(`/apis/apps/${version}`)).json() as {
        resources: Record<string, unknown>[];
      };
      return list.resources[0]?.['storageVersionHash'];
    };
    expect(await hashOf('v1beta1')).toBe(await hashOf('v1'));
  });

  test('without feature gate StorageVersionHash there is none', async () => {
    const other = await openRoom(folder.path, { isFeatureEnabled: (gate) => gate !== 'StorageVersionHash' });
    const { text } = await other.ask('/api/v1');
    await other.close();
    expect([text.includes('"pods"'), text.includes('storageVersionHash')]).toEqual([true, false]);
  });

  test.each(['v2', 'v2beta1'])(
    'all groups in one document of version %s, kept by its hash',
    async (version) => {
      const type = `application/json;g=apidiscovery.orch.io;v=${version};as=APIGroupDiscoveryList`;
      const accept = `${type},application/json`;
      const answer = await room.ask('/apis', { headers: { accept } });
      expect(answer.headers['content-type']).toBe(type);
      expect(answer.json()).toEqual({
        kind: 'APIGroupDiscoveryList',
        apiVersion: `apidiscovery.orch.io/${version}`,
        metadata: {},
        items: [
          {
            metadata: { name: 'apps' },
            versions: ['v1', 'v1beta1'].map((v) => ({
              version: v,
              resources: [
                {
                  resource: 'deployments',
                  responseKind: { group: 'apps', version: v, kind: 'Deployment' },
                  scope: 'Namespaced',
                  singularResource: 'deployment',
                  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
                },
              ],
              freshness: 'Current',
            })),
          },
        ],
      });
      const core = (await room.ask('/api', { headers: { accept } })).text;
      expect(core).toContain('"items":[{"metadata":{},"versions":[{"version":"v1"');
      expect(core).toContain(
        '"subresource":"binding","responseKind":{"group":"","version":"v1","kind":"Binding"}',
      );
      const again = await room.ask('/apis', {
        headers: { accept, 'if-none-match': answer.headers.etag ?? '' },
      });
      expect([again.code, again.text]).toEqual([304, '']);
    },
  );

  test('a profile without peers is what there is', async () => {
    const type = 'application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList';
    const whole = await room.ask('/apis', { headers: { accept: type } });
    for (const profile of ['nopeer', 'other', '']) {
      const local = await room.ask('/apis', { headers: { accept: `${type};profile=${profile}` } });
      expect([local.code, local.headers['content-type']]).toEqual([200, type]);
      expect(local.json()).toEqual(whole.json());
    }
  });

  test('other newer forms fall back to JSON; YAML on request; unknown paths are a page', async () => {
    for (const newer of ['g=apidiscovery.orch.io;v=v3', 'g=other;v=v2']) {
      const accept = `application/json;${newer};as=APIGroupDiscoveryList,application/json;q=0.9`;
      const answer = await room.ask('/apis', { headers: { accept } });
      expect(answer.json()).toMatchObject({ kind: 'APIGroupList' });
    }
    const yaml = await room.ask('/apis', { headers: { accept: 'application/yaml' } });
    expect(yaml.text).toContain('kind: APIGroupList');
    expect((await room.ask('/apis', { headers: { accept: 'text/html' } })).code).toBe(406);
    for (const path of ['/apis/nope', '/apis/apps/v7', '/api/v7']) {
      const answer = await room.ask(path);
      expect([answer.code, answer.text]).toEqual([404, '404 page not found\n']);
    }
  });
});
