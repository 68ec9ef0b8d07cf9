/** Streams of pods: which verbs they need, by release. A WebSocket begins with a GET, SPDY with a POST. */
import { binding, rbac, role, rule, startServices, until } from '../../support/authorized-server.ts';
import { pod } from '../../support/writes.ts';

const pods = '/api/v1/namespaces/web/pods';
const streams = ['exec', 'attach', 'portforward'];

async function statuses(release: string, verbs: string): Promise<Record<string, unknown>> {
  await using services = await startServices(1, [
    ...[`--emulated-release=${release}`, '--controllers=namespace'],
    '--disable-admission-plugins=ServiceAccount',
  ]);
  const { admin } = services;
  await admin.ok('POST', pods, pod('p'));
  const subresources = [...streams, 'proxy'].map((name) => `pods/${name}`).join(',');
  await admin.ok('POST', `${rbac}/clusterroles`, role('streams', rule(`${verbs} ${subresources}`)));
  await admin.ok('POST', `${rbac}/clusterrolebindings`, binding('s', 'ClusterRole streams', 'User ann'));
  const ann = services.as('ann');
  await until(ann, ['GET', `${pods}/p/proxy/`], 400);
  const answers = await Promise.all(streams.map((name) => ann.get(`${pods}/p/${name}`)));
  const told = answers.map(({ status, text }) => [status, (JSON.parse(text) as { message: string }).message]);
  return Object.fromEntries(streams.map((name, i) => [name, told[i]]));
}

const noHost = [400, 'pod p does not have a host assigned'];

test('from release 1.35 on a stream over a WebSocket needs the verb create', async () => {
  const refusal = (name: string): unknown[] => [
    403,
    `pods "p" is forbidden: User "ann" cannot create resource "pods/${name}" in API group "" in the namespace "web"`,
  ];
  expect(await statuses('1.35', 'get')).toEqual(
    Object.fromEntries(streams.map((name) => [name, refusal(name)])),
  );
}, 60_000);

test.each([
  ['1.35', 'get,create'],
  ['1.34', 'get'],
])(
  'at release %s the verbs %s are enough',
  async (release, verbs) => {
    expect(await statuses(release, verbs)).toEqual({ exec: noHost, attach: noHost, portforward: noHost });
  },
  60_000,
);
