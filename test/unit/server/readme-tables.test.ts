/** README's tables say what the code says, both ways, and the files that it names exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backupFlags } from '../../../src/cli/backup.ts';
import { controllersFlags } from '../../../src/cli/controllers.ts';
import { serveFlags } from '../../../src/cli/flags.ts';
import { restoreFlags } from '../../../src/cli/restore.ts';
import { knownFeatures } from '../../../src/observe/feature-gates.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createAdmissionMetrics } from '../../../src/observe/admission-metrics.ts';
import { createExtensionMetrics } from '../../../src/observe/extension-metrics.ts';
import { createAuditMetrics } from '../../../src/observe/audit-metrics.ts';
import { createControllerMetrics } from '../../../src/observe/controller-metrics.ts';
import { createFlowControlMetrics } from '../../../src/observe/flow-control-metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import { createFileReloads, createWorkerMetrics } from '../../../src/observe/worker-metrics.ts';
import { faultCodes } from '../../../src/server/faults.ts';
import { repositoryRoot } from '../../support/paths.ts';

const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8');

/** Cells of the table below a heading. */
function rowsBelow(heading: string): string[][] {
  const section = readme.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

test('every flag, with its default and purpose', () => {
  expect(rowsBelow('Flags')).toEqual(
    serveFlags.map((flag) => [`--${flag.name}`, flag.default, flag.description]),
  );
});

test('every flag of controllers, with its default and purpose', () => {
  expect(rowsBelow('Flags of controllers')).toEqual(
    controllersFlags.map((flag) => [`--${flag.name}`, flag.default, flag.description]),
  );
});

test('every flag of backup and restore, with its default and purpose', () => {
  for (const [heading, flags] of [
    ['Flags of backup', backupFlags],
    ['Flags of restore', restoreFlags],
  ] as const) {
    expect(rowsBelow(heading)).toEqual(
      flags.map((flag) => [`--${flag.name}`, flag.default, flag.description]),
    );
  }
});

test('every start fault, with its meaning', () => {
  expect(rowsBelow('Start faults')).toEqual(Object.entries(faultCodes));
});

test('every feature gate, with its stage and purpose', () => {
  expect(rowsBelow('Feature gates')).toEqual(
    knownFeatures.map(({ name, stage, purpose }) => [name, stage, purpose]),
  );
});

test('every metric, with its type and meaning', async () => {
  const metrics = new Metrics();
  createServerMetrics(metrics);
  createAuditMetrics(metrics);
  createAdmissionMetrics(metrics);
  createExtensionMetrics(metrics);
  createFlowControlMetrics(metrics);
  createControllerMetrics(metrics);
  createFileReloads(metrics);
  createWorkerMetrics(metrics);
  const text = await metrics.text();
  const types = [...text.matchAll(/^# TYPE \S+ (\S+)$/gm)].map((match) => match[1]);
  const helps = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)];
  expect(rowsBelow('Metrics')).toEqual(helps.map((match, i) => [match[1], types[i], match[2]]));
});

test('every code and reason that an answer may have', () => {
  const files = readdirSync(join(repositoryRoot, 'src'), { recursive: true, encoding: 'utf8' });
  const made = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(repositoryRoot, 'src', file), 'utf8');
      return [...text.matchAll(/\bStatusError\(\s*(\d{3}),\s*'(\w+)'/g)].map(
        (match) => `${match[1] ?? ''} ${match[2] ?? ''}`,
      );
    });
  const documented = rowsBelow('Errors').map(([code, reason]) => `${code ?? ''} ${reason ?? ''}`);
  expect(documented).toEqual([...new Set(made)].sort());
});

test('the files that are named exist', () => {
  const paths = [...readme.matchAll(/(?:src|test)\/[\w./-]+\.(?:ts|md)\b/g)].map((match) => match[0]);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
});
