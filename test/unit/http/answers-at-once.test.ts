/** Answers to writes, and those in a form that has to be made, take several turns of the event loop, though what they wait for comes at once. */
import { Projected } from '../../../src/http/representation/projected.ts';
import { StoredJson } from '../../../src/http/representation/stored-json.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { holdThread, TurnCounts } from '../../support/turn-counts.ts';
import { waitFor } from '../../support/wait-for.ts';

const path = '/api/v1/namespaces/x/pods';
const count = 40;
const workMs = 6;
let folder: TempFolder;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('answers-at-once');
  room = await openRoom(folder.path);
  room.verbs.entries = [podEntry('a', 1)];
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

test.each([
  ['reads in YAML', 'GET', 'application/yaml', Projected],
  ['writes in YAML', 'POST', 'application/yaml', Projected],
  ['writes in JSON', 'POST', 'application/json', StoredJson],
])('answers of %s', async (_what, method, accept, form) => {
  const at = method === 'GET' ? `${path}/a` : path;
  const turns = new TurnCounts();
  const made = jest.spyOn(form.prototype, 'object').mockImplementation(() => {
    turns.note();
    holdThread(workMs);
    return Buffer.from('{}');
  });
  const stuck = Promise.withResolvers<undefined>();
  room.verbs.before = () => stuck.promise.then(() => undefined);
  const begun = room.verbs.calls.length + count;
  const ask = { method, headers: { accept, 'content-type': 'application/json' } };
  const answers = Promise.all(
    Array.from({ length: count }, () =>
      room.ask(at, { ...ask, ...(method === 'POST' && { body: '{"metadata":{"name":"b"}}' }) }),
    ),
  );
  await waitFor('all to wait', () => room.verbs.calls.length >= begun);
  stuck.resolve(undefined);
  const codes = (await answers).map(({ code }) => code);
  turns.end();
  made.mockRestore();
  expect(codes).toEqual(Array(count).fill(method === 'GET' ? 200 : 201));
  expect(turns.all).toBe(count);
  expect(turns.most).toBeLessThanOrEqual(3);
});
