/** Creations, against a raw loop of the same etcd transactions with values of the same size. */
import { check, type BenchCase } from '../support/case.ts';
import { podsIn, stored } from '../support/lab.ts';
import { podNamed, podTemplate } from '../support/pod.ts';
import { alternate, warmUp, type RunReport } from '../support/run.ts';
import { withCpu } from '../support/usage.ts';

const connections = 32;

export const createCase: BenchCase = {
  name: `create, ${connections} connections`,
  unit: 'requests',
  run: async ({ replica, load, bareEtcd, service, etcd, turnSeconds, options }) => {
    const answer = await replica.admin.get(`${stored}/pod-1`);
    check(answer.status === 200, 'a stored pod can be read');
    const made = podNamed('verified');
    const created = await replica.admin.post(podsIn('created'), made);
    check(created.status === 201 && created.json().metadata.name === 'verified', 'a creation gives the pod');
    const create = (): Promise<RunReport> =>
      load.run({
        ...{ kind: 'requests', target: service, connections, seconds: turnSeconds, method: 'POST' },
        ...{ paths: [podsIn('created')], body: podTemplate, namePrefix: 'new', expect: 201 },
      });
    const sides = {
      service: () => withCpu(replica.pid, create),
      bare: () =>
        bareEtcd.run({
          ...{ endpoints: etcd.endpoints, concurrency: connections, seconds: turnSeconds },
          valueBytes: answer.body.length,
        }),
    };
    await warmUp(sides);
    return alternate(options.rounds, sides);
  },
};
