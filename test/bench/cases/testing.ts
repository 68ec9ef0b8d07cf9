/** Starts of `orch-apiserver/testing` with its etcd in memory, against those with a real etcd; below, each step of all three sides. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { check, type BenchCase } from '../support/case.ts';
import { Histogram } from '../support/histogram.ts';
import { alternate, type RunReport } from '../support/run.ts';
import type { Step, TestingFigures } from '../support/testing-figures.ts';

const sides = ['node', 'memory', 'etcd', 'mock'] as const;
type Side = (typeof sides)[number];

/** At most, as the bounds are for so many; fewer with few pods. */
const mostObjects = 10_000;

/** What steps of the engine in memory may take, on a quiet machine. */
const bounds: Readonly<Record<string, Partial<Step>>> = {
  'first start': { ms: 500, residentMegabytes: 120 },
  'second control plane beside it': { ms: 30, addedMegabytes: 20 },
  'start after others have stopped': { ms: 150 },
  'reset of one object': { ms: 10 },
  [`reset of ${mostObjects} objects`]: { ms: 10 },
  [`fork of ${mostObjects} objects`]: { ms: 10 },
  'fork behind 20 others': { ms: 10 },
};

/**
 * In a process of its own, which loads everything as a test does. It is given plain JavaScript: what Node loads to take the
 * types out of a program (30 MB) is nothing of what is measured.
 */
async function figuresOf(side: Side, objects: number): Promise<TestingFigures> {
  const program = await readFile(join(import.meta.dirname, '../support/testing-figures.ts'), 'utf8');
  const args = ['--input-type=module', '--eval', stripTypeScriptTypes(program), side, String(objects)];
  const { stdout } = await promisify(execFile)(nodeBinary(), args, { cwd: repositoryRoot });
  return JSON.parse(stdout) as TestingFigures;
}

/** The first start, as a run. */
function startOf(figures: TestingFigures): RunReport {
  const first = figures['first start'];
  if (first === undefined) throw new Error('no start was measured');
  const latency = new Histogram();
  latency.record(first.ms);
  return {
    ...{ count: 1, errors: 0, bytes: 0, seconds: first.ms / 1000, latency: latency.toJSON(), firstByte: [] },
    ...{ loadCpuSeconds: 0, cpuSeconds: first.cpuMs / 1000 },
  };
}

/** Of each step the round with the least processor time: the others had more of other work beside them. */
function leastOf(rounds: readonly TestingFigures[]): TestingFigures {
  const least: Record<string, Step> = {};
  for (const [name, step] of rounds.flatMap((figures) => Object.entries(figures)))
    if (step.cpuMs < (least[name]?.cpuMs ?? Infinity)) least[name] = step;
  return least;
}

function remarksOn(side: Side, figures: TestingFigures): string[] {
  return Object.entries(figures).map(([name, step]) => {
    const { ms, cpuMs, residentMegabytes, addedMegabytes } = step;
    return (
      `${side.padEnd(8)}${name.padEnd(34)}${ms.toFixed(1).padStart(9)} ms${cpuMs.toFixed(1).padStart(9)} ms of processors` +
      `${residentMegabytes.toFixed(0).padStart(6)} MB resident${addedMegabytes.toFixed(0).padStart(5)} of them new` +
      (side === 'memory' ? boundsOf(name, step) : '')
    );
  });
}

const units: Readonly<Record<keyof Step, string>> = {
  ms: 'ms',
  cpuMs: 'ms of processors',
  residentMegabytes: 'MB resident',
  addedMegabytes: 'MB new',
};

/** The bounds of a step, and which of them it exceeds. */
function boundsOf(name: string, step: Step): string {
  const texts = Object.entries(bounds[name] ?? {}).map(([key, bound]) => {
    const figure = key as keyof Step;
    return `${String(bound)} ${units[figure]}${step[figure] > bound ? ' (exceeded)' : ''}`;
  });
  return texts.length === 0 ? '' : `; bound ${texts.join(', ')}`;
}

export const testingCase: BenchCase = {
  name: 'first start in a test',
  unit: 'requests',
  run: async (lab) => {
    const all = { node: [], memory: [], etcd: [], mock: [] } as Record<Side, TestingFigures[]>;
    const objects = Math.min(mostObjects, lab.options.pods);
    const turn = async (side: Side): Promise<RunReport> => {
      const figures = await figuresOf(side, objects);
      all[side].push(figures);
      return startOf(figures);
    };
    // What was compiled is kept for the next process.
    await figuresOf('memory', objects);
    const comparison = await alternate(lab.options.rounds, {
      service: () => turn('memory'),
      bare: () => turn('etcd'),
    });
    await turn('mock');
    all.node.push(await figuresOf('node', objects));
    check(all.memory.length === lab.options.rounds, 'each round started control planes');
    const residents = all.memory.flatMap((figures) =>
      Object.values(figures).map((step) => step.residentMegabytes),
    );
    const usage = { cpu: comparison.service.cpuSeconds, residentMegabytes: Math.max(...residents) };
    return { ...comparison, usage, remarks: sides.flatMap((side) => remarksOn(side, leastOf(all[side]))) };
  },
};
