/** Preconditions in the query of a deletion without a body: whoever names a uid there means no other object. */
import { podEntry } from '../../support/http/fake-verbs.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const pods = '/api/v1/namespaces/x/pods';
let folder: TempFolder;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('preconditions');
  room = await openRoom(folder.path);
  room.verbs.entries = [podEntry('a', 7)];
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

/** What the verb got. */
async function preconditionsOf(path: string, body = ''): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await room.ask(path, { method: 'DELETE', body, headers });
  expect(answer.code).toBe(200);
  return (room.verbs.last.argument as { preconditions?: object }).preconditions;
}

test.each([
  ['uid=u', { uid: 'u' }],
  ['resourceVersion=7', { resourceVersion: '7' }],
  ['uid=u&resourceVersion=7&propagationPolicy=Orphan', { uid: 'u', resourceVersion: '7' }],
  ['uid=&resourceVersion=', undefined],
])('?%s', async (query, want) => {
  expect(await preconditionsOf(`${pods}/a?${query}`)).toEqual(want);
});

test('a body stands for itself', async () => {
  const body = JSON.stringify({ preconditions: { uid: 'v' } });
  expect(await preconditionsOf(`${pods}/a?resourceVersion=7`, body)).toEqual({ uid: 'v' });
  expect(await preconditionsOf(`${pods}/a?uid=u`, '{}')).toBeUndefined();
});

test('the version in the query of a collection says which state is listed', async () => {
  const answer = await room.ask(`${pods}?resourceVersion=7`, { method: 'DELETE' });
  expect(answer.code).toBe(200);
  expect(JSON.stringify(room.verbs.last.argument)).not.toContain('preconditions":{');
});
