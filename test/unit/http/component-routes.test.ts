/** `/statusz` and `/flagz` (KEP-4827, KEP-4828). */
import { flagzRoute, statuszRoute } from '../../../src/http/plain/component-routes.ts';
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
  room = await openRoom(folder.path, { plainRoutes: [statuszRoute({ clock, version }), flagzRoute(flags)] });
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
