/** A Binding names its pod in its body: that the pod is large is known only once that is read. Then it moves, as other writes do. */
import type { LargeWrites } from '../../../src/http/writes/large-writes.ts';
import type { WriteRequest } from '../../../src/http/writes/write-request.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
let room: HttpRoom;
const moved: WriteRequest[] = [];

const never = (): never => {
  throw new Error('it is small by its body');
};
const threads: LargeWrites = {
  takes: () => false,
  perform: never,
  performGrown: (write) => {
    moved.push(write);
    return Promise.resolve({ kind: 'value', value: { status: 'Success' } });
  },
};

beforeAll(async () => {
  folder = await makeTempFolder('large-bindings');
  room = await openRoom(folder.path, { largeWrites: threads });
  room.verbs.before = () => Promise.reject(new GrownWrite());
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

test('it is handed over', async () => {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', body: '{"metadata":{"name":"a"}}', headers };
  expect((await room.ask('/api/v1/namespaces/ns/bindings', sent)).code).toBe(201);
  expect(moved).toMatchObject([{ operation: 'act', verb: 'create', namespace: 'ns', name: '' }]);
});
