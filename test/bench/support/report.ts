/** Prints the machine, and one line per case. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';

import { etcdBinary, nodeBinary } from '../../support/paths.ts';
import type { BenchCase } from './case.ts';
import type { Comparison, Usage } from './run.ts';

const columns = [34, 12, 9, 9, 9, 11, 8, 13, 9, 9, 11, 7, 6];

export function printMachine(): void {
  const node = execFileSync(nodeBinary(), ['--version'], { encoding: 'utf8' }).trim();
  const etcd = execFileSync(etcdBinary(), ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? '';
  const [model] = cpus();
  print(
    `${cpus().length} processors (${model?.model ?? 'unknown'}), Node ${node}, ${etcd}, ${printedLoad()}`,
  );
}

/** The average number of busy processors over the last minutes. */
export function printedLoad(): string {
  return `load ${loadavg()
    .map((value) => value.toFixed(2))
    .join(' ')}`;
}

export function printHead(): void {
  const names = ['case', 'rate', 'p50 ms', 'p99 ms', '1st byte', 'CPU s/1000', 'RSS MB'];
  line([...names, 'bare rate', 'p50 ms', 'p99 ms', 'CPU s/1000', 'ratio', 'gen']);
}

/** CPU is the replica's per 1,000 units; `gen` how busy the load generator was, near 1 it is the limit. */
export function printCase(bench: BenchCase, comparison: Comparison, usage: Usage): void {
  const { service, bare, remarks = [] } = comparison;
  const cpu = Number.isNaN(service.cpuSeconds) ? usage.cpu : service.cpuSeconds;
  const rate = (run: typeof service): string =>
    bench.showsBytes === true ? `${run.megabytesPerSecond.toFixed(0)} MB/s` : `${run.perSecond.toFixed(0)}/s`;
  line([
    bench.name,
    rate(service),
    ...[0.5, 0.99].map((share) => figure(service.latency.percentile(share))),
    figure(service.firstByte.percentile(0.5)),
    figure((cpu / service.count) * 1000),
    usage.residentMegabytes.toFixed(0),
    rate(bare),
    ...[0.5, 0.99].map((share) => figure(bare.latency.percentile(share))),
    figure((bare.cpuSeconds / bare.count) * 1000),
    (service.perSecond / bare.perSecond).toFixed(2),
    (service.loadCpuSeconds / service.seconds).toFixed(2),
  ]);
  for (const remark of remarks) print(`  ${remark}`);
  if (service.errors + bare.errors > 0) {
    const statuses = [...service.statuses, ...bare.statuses].map(
      ([status, count]) => `${String(count)} × ${status}`,
    );
    print(
      `  ${service.errors} answers of the service and ${bare.errors} bare ones were not what was expected (${statuses.join(', ')})`,
    );
  }
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function line(cells: readonly string[]): void {
  const [first = '', ...rest] = cells;
  print(first.padEnd(columns[0] ?? 0) + rest.map((cell, i) => cell.padStart(columns[i + 1] ?? 0)).join(''));
}

function figure(value: number): string {
  if (Number.isNaN(value)) return '-';
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
