/** The alert rules of the deployment: what they say by `promtool`, and that what they ask for is there. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { Metrics } from '../../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../../src/observe/server-metrics.ts';
import { Balancer, haproxy } from '../../../support/balancer.ts';
import { startEtcdCluster } from '../../../support/etcd/cluster.ts';
import { freePort } from '../../../support/free-port.ts';
import { findProgram, repositoryRoot } from '../../../support/paths.ts';
import { makeServicePki, startReplica, type Replica } from '../../../support/replica.ts';
import { waitFor } from '../../../support/wait-for.ts';

const folder = join(repositoryRoot, 'deploy', 'prometheus');
const promtool = findProgram('promtool', [join(repositoryRoot, '.orch', 'bin')]);
if (promtool === undefined) console.log('promtool is not installed: the alert rules are not evaluated');
const withPromtool = promtool === undefined ? describe.skip : describe;

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
}

const files = readdirSync(join(folder, 'rules')).map((name) => join(folder, 'rules', name));
const rules = files.flatMap((file) => {
  const { groups } = load(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
});
const alerts = rules.flatMap(({ alert }) => alert ?? []);

withPromtool('promtool', () => {
  const run = (...args: string[]): { status: number | null; output: string } => {
    const { status, stdout, stderr } = spawnSync(promtool ?? '', args, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  test('accepts the rules', () => {
    const { status, output } = run('check', 'rules', ...files);
    expect({ status, output }).toMatchObject({ status: 0 });
  });

  test('finds that each alert fires when it should, and none when all is well', () => {
    const { status, output } = run('test', 'rules', join(import.meta.dirname, 'alerts.test.yml'));
    expect({ status, output }).toMatchObject({ status: 0 });
  });
});

test('each alert is tried, both ways, and the operator finds what to do about it', () => {
  const tried = readFileSync(join(import.meta.dirname, 'alerts.test.yml'), 'utf8');
  const runbook = readFileSync(join(repositoryRoot, 'deploy', 'README.md'), 'utf8');
  for (const alert of alerts) {
    expect(tried).toContain(`alertname: ${alert}, exp_alerts: []`);
    expect(tried).toContain(`alertname: ${alert}\n`);
    expect(runbook).toContain(`| \`${alert}\``);
  }
});

describe('the metrics that rules ask for', () => {
  /** Labels of each metric, by its name as rules write it. */
  let known: Map<string, ReadonlySet<string>>;

  beforeAll(async () => {
    await using etcd = await startEtcdCluster({ how: 'process' });
    await using pki = await makeServicePki();
    await using replica = await startReplica({ etcd, pki, healthCheckPort: await freePort() });
    const texts = [
      await metricsOf(replica),
      await neverHappened(),
      await bytesOf(`${etcd.endpoints[0] ?? ''}/metrics`),
    ];
    if (haproxy !== undefined) {
      await using balancer = await Balancer.start(pki, [replica]);
      await waitFor('the balancer', () => balancer.metrics());
      texts.push(await balancer.metrics());
    }
    known = new Map(texts.flatMap((text) => [...labelsIn(text)]));
  });

  /** After everything that rules are about has happened once, as far as a healthy replica lets it happen. */
  async function metricsOf({ admin }: Replica): Promise<string> {
    await admin.ok('GET', '/apis/batch/v1beta1/cronjobs');
    const complete = async (): Promise<string | false> => {
      const { text } = await admin.get('/metrics');
      return (
        ['etcd_db_total_size_in_bytes{', 'leader_election_master_status{'].every((part) =>
          text.includes(part),
        ) && text
      );
    };
    return waitFor('all metrics', complete);
  }

  async function neverHappened(): Promise<string> {
    const metrics = new Metrics();
    createServerMetrics(metrics).terminatedWatchers.series({ resource: 'pods' }).add();
    return metrics.text();
  }

  const bytesOf = async (url: string): Promise<string> => (await fetch(url)).text();

  test.each(rules.map((rule) => [rule.alert ?? rule.record ?? '', rule.expr]))('%s', (_name, expr) => {
    const used = [
      ...expr.matchAll(/(?<![:\w])((?:apiserver|etcd|haproxy|process|leader)_\w+)(?![:\w])(?:\{([^}]*)\})?/g),
    ];
    const names = used.flatMap(([, name = '']) =>
      name.startsWith('haproxy_') && haproxy === undefined ? [] : name,
    );
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    for (const [, name = '', matchers = ''] of used)
      expect(matchersOf(matchers).filter((label) => known.has(name) && !has(name, label))).toEqual([]);
    // Rules over other rules' results have been checked by what promtool makes of them.
    if (names.length === 0) return;
    expect(groupingOf(expr).filter((label) => !names.some((name) => has(name, label)))).toEqual([]);
  });

  const targetLabels = ['instance', 'job'];
  const has = (name: string, label: string): boolean =>
    targetLabels.includes(label) || known.get(name)?.has(label) === true;
});

/** Labels that a selector asks for. */
function matchersOf(text: string): string[] {
  return [...text.matchAll(/(\w+)(?:=|!)/g)].map((match) => match[1] ?? '');
}

/** Labels that results are grouped and matched by. */
function groupingOf(expr: string): string[] {
  const lists = [...expr.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)];
  return lists.flatMap(([, list = '']) => list.split(',').map((label) => label.trim())).filter(Boolean);
}

/** Each metric of a scrape with its labels. */
function labelsIn(text: string): Map<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const all = found.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) all.add(label);
    found.set(name, all);
  }
  return found;
}
