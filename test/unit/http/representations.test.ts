import type { Answer, Ask, HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const pods = '/api/v1/namespaces/x/pods';

describe('representations', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeAll(async () => {
    folder = await makeTempFolder('forms');
    room = await openRoom(folder.path);
  });

  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  beforeEach(() => {
    room.verbs.entries = [podEntry('a', 7), podEntry('b', 8)];
    room.verbs.calls.length = 0;
    room.verbs.removed = true;
    room.verbs.revision = 1000;
  });

  test('pretty is indented, requested or guessed, with the same content', async () => {
    const plain = (await room.ask(pods)).json();
    for (const ask of [
      { path: `${pods}?pretty=true`, headers: {} },
      { path: pods, headers: { 'user-agent': 'curl/8' } },
    ]) {
      const answer = await room.ask(ask.path, { headers: ask.headers });
      expect(answer.text).toContain('\n  "items": [\n    {\n      "metadata": {\n        "name": "a"');
      expect(answer.json()).toEqual(plain);
    }
    const declined = await room.ask(`${pods}?pretty=false`, { headers: { 'user-agent': 'curl/8' } });
    expect(declined.text.split('\n')).toHaveLength(2);
    expect((await room.ask(`${pods}/a?pretty=1`)).text).toContain('{\n  "kind": "Pod"');
  });

  test('YAML', async () => {
    const { decodeYaml } = await import('../../../src/codec/yaml.ts');
    const headers = { accept: 'application/yaml' };
    expect((await room.ask(pods, { headers })).text).toMatch(
      /^apiVersion: v1\nkind: PodList\nmetadata:\n {2}resourceVersion: '1000'\nitems:\n- metadata:\n {4}name: a\n/,
    );
    expect((await room.ask(`${pods}/a`, { headers })).text).toMatch(
      /^apiVersion: v1\nkind: Pod\nmetadata:\n {2}name: a\n {2}namespace: x\n {2}uid: uid-a\n {2}resourceVersion: '7'\n/,
    );
    for (const path of [pods, `${pods}/a`]) {
      const answer = await room.ask(path, { headers });
      expect(answer.headers['content-type']).toBe('application/yaml');
      expect(decodeYaml(answer.bytes)).toEqual((await room.ask(path)).json());
    }
  });

  test('a Table has columns, cells and metadata; an odd object spoils only its cell', async () => {
    const headers = { accept: 'application/json;as=Table;g=meta.orch.io;v=v1,application/json' };
    const list = (await room.ask(pods, { headers })).json();
    expect(list).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.orch.io/v1',
      metadata: { resourceVersion: '1000' },
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', description: 'Name.', priority: 0 },
        { name: 'Broken', priority: 1 },
      ],
    });
    expect(list['rows']).toEqual([
      {
        cells: ['a', '<invalid>'],
        object: {
          kind: 'PartialObjectMetadata',
          apiVersion: 'meta.orch.io/v1',
          metadata: expect.objectContaining({ name: 'a', resourceVersion: '7' }) as unknown,
        },
      },
      expect.anything(),
    ]);
    const one = (await room.ask(`${pods}/a`, { headers })).json();
    expect(one).toMatchObject({ kind: 'Table', metadata: { resourceVersion: '7' }, rows: [{}] });
  });

  test('a resource without columns shows name and creation time', async () => {
    const headers = { accept: 'application/json;as=Table;g=meta.orch.io;v=v1beta1' };
    const table = (await room.ask('/api/v1/nodes', { headers })).json();
    expect(table).toMatchObject({
      apiVersion: 'meta.orch.io/v1beta1',
      columnDefinitions: [
        { name: 'Name', type: 'string' },
        { name: 'Created At', type: 'date' },
      ],
      rows: [{ cells: ['a', '2024-01-02T03:04:05Z'] }, {}],
    });
  });

  test.each([
    ['None', null],
    ['Object', { kind: 'Pod', spec: {} }],
    ['Metadata', { kind: 'PartialObjectMetadata' }],
  ])('includeObject=%s', async (include, object) => {
    const headers = { accept: 'application/json;as=Table;g=meta.orch.io;v=v1' };
    const table = (await room.ask(`${pods}?includeObject=${include}`, { headers })).json();
    const [row] = table['rows'] as { object: unknown }[];
    if (object === null) expect(row?.object).toBeNull();
    else expect(row?.object).toMatchObject(object);
    expect((await room.ask(`${pods}?includeObject=All`, { headers })).code).toBe(400);
  });

  test('only metadata', async () => {
    const one = { accept: 'application/json;as=PartialObjectMetadata;g=meta.orch.io;v=v1' };
    expect(Object.keys((await room.ask(`${pods}/a`, { headers: one })).json())).toEqual([
      'kind',
      'apiVersion',
      'metadata',
    ]);
    const many = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1' };
    expect((await room.ask(pods, { headers: many })).json()).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.orch.io/v1' }, {}],
    });
  });

  test.each(['application/json', 'application/yaml'])(
    'metadata of one are no list, and a list of metadata is not one: %s',
    async (essence) => {
      const ask = (path: string, as: string, options: Ask = {}): Promise<Answer> =>
        room.ask(path, {
          ...options,
          headers: { accept: `${essence};as=${as};g=meta.orch.io;v=v1,application/json`, ...options.headers },
        });
      const [one, many] = ['PartialObjectMetadata', 'PartialObjectMetadataList'];
      const body = '{"kind":"Pod","apiVersion":"v1"}';
      const json = { 'content-type': 'application/json' };
      const refusals = [
        { answer: await ask(pods, one), as: one, given: 'a list (PodList)' },
        { answer: await ask(pods, one, { method: 'DELETE' }), as: one, given: 'a list (PodList)' },
        { answer: await ask(`${pods}/a`, many), as: many, given: 'not a list (Pod)' },
        { answer: await ask(`${pods}?watch=1&timeoutSeconds=1`, many), as: many, given: 'not a list (Pod)' },
        {
          answer: await ask(pods, many, { method: 'POST', body, headers: json }),
          as: many,
          given: 'not a list (Pod)',
        },
      ];
      for (const { answer, as, given } of refusals) {
        expect(answer.code).toBe(406);
        expect(answer.json()).toMatchObject({
          reason: 'NotAcceptable',
          message: `you requested ${as}, but the requested object is ${given}`,
        });
      }
      expect(room.verbs.calls).toEqual([]);
      // Each of the two is still given where it fits.
      expect([(await ask(pods, many)).code, (await ask(`${pods}/a`, one)).code]).toEqual([200, 200]);
    },
  );

  test.each([
    ['application/json;as=Table;g=meta.k8s.io;v=v1', 406],
    ['application/json;as=Table;g=meta.orch.io;v=v2', 406],
    ['application/json;as=Chart;g=meta.orch.io;v=v1', 406],
    ['application/json;as=Table;g=meta.orch.io;v=v2, */*', 200],
    ['application/vnd.orch.protobuf, application/json', 200],
    ['application/json;q=0.5, application/yaml', 200],
    ['', 200],
  ])('Accept %s is %d', async (accept, code) => {
    expect((await room.ask(pods, { headers: { accept } })).code).toBe(code);
  });
});
