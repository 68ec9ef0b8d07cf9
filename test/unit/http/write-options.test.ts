/** Options of writes that are wrong: the request is refused before the verb is called. */
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const json = { 'content-type': 'application/json' };
const pods = '/api/v1/namespaces/x/pods';
const body = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'new' } });

describe('write options over HTTP', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeAll(async () => {
    folder = await makeTempFolder('options');
    room = await openRoom(folder.path);
  });

  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  beforeEach(() => {
    room.verbs.entries = [podEntry('a', 7)];
    room.verbs.calls.length = 0;
  });

  test.each([
    ['dryRun=', 'dryRun'],
    ['dryRun=All&dryRun=', 'dryRun'],
    ['fieldValidation=Loose', 'fieldValidation'],
    [`fieldManager=${'x'.repeat(129)}`, 'fieldManager'],
    ['fieldManager=a%07b', 'fieldManager'],
  ])('wrong options are a 422 on the options: %s', async (query, field) => {
    const answer = await room.ask(`${pods}?${query}`, { method: 'POST', body, headers: json });
    expect(answer.code).toBe(422);
    expect(answer.json()).toMatchObject({
      reason: 'Invalid',
      details: { kind: 'CreateOptions', group: 'meta.orch.io', causes: [{ field }] },
    });
    expect(room.verbs.calls).toHaveLength(0);
  });

  test('a dry run that does not exist is a 422', async () => {
    const answer = await room.ask(`${pods}?dryRun=All&dryRun=None`, {
      method: 'POST',
      body,
      headers: json,
    });
    expect(answer.code).toBe(422);
    expect(answer.json()['message']).toContain('"None"');
    expect(room.verbs.calls).toHaveLength(0);
  });

  test('delete options are small, as the serving thread decodes them', async () => {
    // What YAML takes as long as four times as much JSON.
    for (const [type, item, length, code] of [
      ['application/yaml', 'x,', 5_000, 422],
      ['application/yaml', 'x,', 10_000, 413],
      ['application/json', '"x",', 15_000, 422],
      ['application/json', '"x",', 20_000, 413],
    ] as const) {
      const headers = { 'content-type': type };
      const body = `{"dryRun": [${item.repeat(length).slice(0, -1)}]}`;
      for (const path of [`${pods}/a`, pods])
        expect((await room.ask(path, { method: 'DELETE', body, headers })).code).toBe(code);
    }
    expect(room.verbs.calls).toHaveLength(0);
  });

  test('strategic merge needs a kind that says how its lists are merged', async () => {
    const patch = (type: string) =>
      room.ask('/api/v1/nodes/a', { method: 'PATCH', body: '{}', headers: { 'content-type': type } });
    const refused = await patch('application/strategic-merge-patch+json');
    expect(refused.code).toBe(415);
    expect(refused.json()['message']).toContain('application/merge-patch+json');
    expect(refused.json()['message']).not.toContain('strategic');
    expect((await patch('application/merge-patch+json')).code).toBe(200);
  });
});
