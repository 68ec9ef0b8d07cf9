/** What write threads log: records among those of the service, not lines of a program that the service knows nothing of. */
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

let replica: Replica;

const configurations = '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations';
const maps = '/api/v1/namespaces/default/configmaps';
/** Nobody listens there, and the webhook may be left out. */
const away = {
  metadata: { name: 'away' },
  webhooks: [
    {
      name: 'away.example.test',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

const records = (): Record<string, unknown>[] =>
  replica
    .logs()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test.each([[[]], [['--serving-threads=2']]])(
  'a warning of a large write, with %j',
  async (args) => {
    await using etcd = await startEtcdCluster({ how: 'process' });
    await using started = await startReplica({ etcd, args });
    replica = started;
    await replica.admin.createSeen(configurations, away);
    await replica.admin.ok('POST', maps, {
      metadata: { name: 'large' },
      data: { text: 'x'.repeat(200_000) },
    });
    const isOfThread = ({ thread, webhook }: Record<string, unknown>): boolean =>
      thread === 'write' && webhook === 'away.example.test';
    const found = await waitFor('the warning', () => records().find(isOfThread), {
      details: () => replica.logs(),
    });
    expect(found).toMatchObject({ level: 'warn', component: 'admission' });
    expect(replica.logs()).not.toContain('output of a worker');
  },
  120_000,
);
