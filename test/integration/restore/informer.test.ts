/** A client that stays through a restore of the service's own etcd, as `npm start` runs it. */
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { VersionInformer } from '../../support/version-informer.ts';
import { waitFor } from '../../support/wait-for.ts';
import { runToEnd, Service } from '../../support/service.ts';

const path = '/api/v1/namespaces/default/configmaps';
let temporary: TempFolder;
let folder: string;
let service: Service;
let informer: VersionInformer;

beforeAll(async () => {
  temporary = await makeTempFolder('restore-informer');
  folder = join(temporary.path, '.orch');
});
afterAll(async () => {
  await informer.stop();
  await service.child.stop();
  await temporary.remove();
});

async function write(name: string, round: string, method = 'POST'): Promise<number> {
  const at = method === 'POST' ? path : `${path}/${name}`;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { round } };
  const { status, body: text } = await service.ask({ method, path: at, body });
  if (status >= 300) throw new Error(text);
  return Number((JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
}

const untilHeld = (what: string, names: Record<string, string>): Promise<unknown> =>
  waitFor(
    `the informer to hold ${what}`,
    () => {
      const held = Object.entries(informer.state()).map(([name, data]) => [name, data?.['round']]);
      const own = held.filter(([name]) => !name?.endsWith('.crt'));
      return JSON.stringify(own.sort()) === JSON.stringify(Object.entries(names).sort());
    },
    { timeout: 30_000, details: () => JSON.stringify([informer.state(), informer.errors]) },
  );

test('an informer that runs through backup, further writes and restore holds exactly what was restored', async () => {
  const words = [`--secure-port=${String(await freePort())}`];
  service = await Service.start(folder, words);
  const pki = join(folder, 'pki');
  const access = {
    caFile: join(pki, 'ca.crt'),
    certFile: join(pki, 'admin.crt'),
    keyFile: join(pki, 'admin.key'),
  };
  informer = await VersionInformer.start({ url: service.url, ...access }, 'default');
  await write('kept', 'first');
  await write('changed', 'first');
  const old = await write('removed', 'first');
  const before = { kept: 'first', changed: 'first', removed: 'first' };
  await untilHeld('the first round', before);

  const snapshot = join(temporary.path, 'backup.db');
  const flag = `--data-dir=${folder}`;
  expect(await runToEnd(['backup', `--output=${snapshot}`, flag])).toMatchObject({ code: 0 });
  await write('changed', 'second', 'PUT');
  await write('added', 'second');
  expect((await service.ask({ method: 'DELETE', path: `${path}/removed` })).status).toBe(200);
  await untilHeld('the second round', { kept: 'first', changed: 'second', added: 'second' });

  const { lists } = informer;
  const refused = await runToEnd(['restore', `--snapshot=${snapshot}`, flag]);
  expect(refused.output).toMatch(/already runs on the data folder .* \[DATA_FOLDER_IN_USE\]\n$/);
  await service.stop();
  expect(await runToEnd(['restore', `--snapshot=${snapshot}`, flag])).toMatchObject({ code: 0 });
  service = await Service.start(folder, words);

  await untilHeld('what was restored', before);
  await write('changed', 'third', 'PUT');
  await untilHeld('what came after', { ...before, changed: 'third' });
  expect(informer.errors).toEqual([]);
  expect(informer.lists).toBeGreaterThan(lists);
  const watch = await service.ask({ path: `${path}?watch=true&resourceVersion=${String(old)}` });
  expect(watch.status === 410 || /"code":410/.test(watch.body)).toBe(true);
  const update = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kept', resourceVersion: String(old) },
  };
  expect((await service.ask({ method: 'PUT', path: `${path}/kept`, body: update })).status).toBe(409);
}, 120_000);
