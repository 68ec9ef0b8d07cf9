/**
 * What a way of writing is measured against: the raw loop of the same etcd transactions, which the ratio is about; the
 * same loop through etcd3's own client; the same transactions behind a bare HTTPS handler that looks at nothing of
 * what it is sent, which is as near to the raw loop as a service on this machine can come; and behind one that parses the
 * body, prints what it stores and is told of it by a watch, as near as a service that has to know what it stores.
 */
import type { BareEtcdLoad } from '../support/bare-etcd.ts';
import { check } from '../support/case.ts';
import type { Lab } from '../support/lab.ts';
import type { RequestLoad } from '../support/load-types.ts';
import { Run, alternate, warmUp, type Comparison, type RunReport } from '../support/run.ts';
import { withCpu } from '../support/usage.ts';

const connections = 32;

export interface WriteLoad extends Pick<RequestLoad, 'method' | 'contentType' | 'paths' | 'namePrefix'> {
  readonly body: string;
  readonly expect: number;
  /** What is stored: the raw loop stores as many bytes. */
  readonly stored: Buffer;
}

/** Lets the sides take turns, after one that does not count. */
export async function compareWrites(lab: Lab, write: WriteLoad): Promise<Comparison> {
  const { stored, ...requests } = write;
  const updates = write.method !== 'POST';
  await lab.bareServer.store(stored, lab.etcd.endpoints, updates);
  const send = (more: Pick<RequestLoad, 'target'> & Partial<RequestLoad>): Promise<RunReport> =>
    lab.load.run({ kind: 'requests', connections, seconds: lab.turnSeconds, ...requests, ...more });
  const raw = (client: NonNullable<BareEtcdLoad['client']>): Promise<RunReport> =>
    lab.bareEtcd.run({
      ...{ endpoints: lab.etcd.endpoints, concurrency: connections, seconds: lab.turnSeconds },
      ...{ valueBytes: stored.length, updates, client },
    });
  const others = { handler: new Run(), text: new Run(), etcd3: new Run() };
  const behind = (path: string): Promise<RunReport> =>
    withCpu(lab.bareServer.pid, () => send({ target: lab.bare, paths: [path] }));
  const sides = {
    service: () => withCpu(lab.replica.pid, () => send({ target: lab.service })),
    bare: () => raw('own'),
    handler: () => behind('/store'),
    text: () => behind('/store-text'),
    etcd3: () => raw('etcd3'),
  };
  await warmUp(sides);
  check((await sides.handler()).errors === 0, 'the bare handler stores what it is sent');
  check((await sides.text()).errors === 0, 'the handler that parses stores what it prints');
  await sides.etcd3();
  const comparison = await alternate(lab.options.rounds, {
    ...sides,
    bare: async () => {
      others.handler.add(await sides.handler());
      others.text.add(await sides.text());
      others.etcd3.add(await sides.etcd3());
      return sides.bare();
    },
  });
  return { ...comparison, remarks: remarksOf(comparison, others) };
}

function remarksOf(
  { service, bare }: Comparison,
  { handler, text, etcd3 }: Record<'handler' | 'text' | 'etcd3', Run>,
): string[] {
  const share = (a: Run, b: Run): string => (a.perSecond / b.perSecond).toFixed(2);
  const behind = (what: string, run: Run): string =>
    `behind ${what} ${run.perSecond.toFixed(0)}/s, ${share(run, bare)} of raw, ` +
    `${((run.cpuSeconds / run.count) * 1000).toFixed(2)} CPU s/1000; the service ${share(service, run)} of it`;
  return [
    behind('a bare handler', handler),
    behind('one that parses, prints and follows', text),
    `raw through etcd3 ${etcd3.perSecond.toFixed(0)}/s; the service ${share(service, etcd3)} of it`,
  ];
}
