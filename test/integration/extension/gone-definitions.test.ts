/** Definitions that come and go leave no figures behind: there may be thousands of them in the life of a service. */
import { definition, definitions, establish, namespaced, widget } from '../../support/custom-resources.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

test('the series of a definition go with it, and come again with one of its name', async () => {
  await using etcd = await startEtcdCluster({ how: 'process' });
  await using replica = await startReplica({ etcd });
  const { admin } = replica;
  const widgets = `${namespaced}/widgets`;
  const series = async (): Promise<string[]> =>
    (await admin.get('/metrics')).text.split('\n').filter((line) => /widgets/.test(line));

  await establish(admin, definition('widgets', 'Widget'));
  await admin.ok('POST', widgets, widget('one'));
  await admin.ok('GET', widgets);
  expect((await series()).length).toBeGreaterThan(20);

  await admin.ok('DELETE', `${definitions}/widgets.example.com`);
  await waitFor('the definition to be gone', async () => (await admin.get(widgets)).status === 404);
  let left: string[] = [];
  const areGone = async (): Promise<boolean> => (left = await series()).length === 0;
  await waitFor('its series to go', areGone, { details: () => left.join('\n') });

  await establish(admin, definition('widgets', 'Widget'));
  await admin.ok('POST', widgets, widget('one'));
  const objects = (await series()).filter((line) => line.startsWith('apiserver_storage_objects{'));
  expect(objects).toEqual([expect.stringMatching(/ 1$/)]);
  expect((await series()).some((line) => line.startsWith('etcd_request_duration_seconds_count'))).toBe(true);
}, 60_000);
