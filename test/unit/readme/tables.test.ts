/** The tables of the guides say what the code says, both ways. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { acceptedFlags } from '../../../src/options/accepted/accepted-flags.ts';
import { admissionPluginNames, defaultPluginNames } from '../../../src/admission/plugin-names.ts';
import { backupFlags } from '../../../src/options/commands/backup-options.ts';
import { controllersFlags } from '../../../src/options/controllers/controller-manager-options.ts';
import { serveFlags } from '../../../src/options/serve-flags.ts';
import { testingFlags } from '../../../src/options/commands/testing-options.ts';
import { restoreFlags } from '../../../src/options/commands/restore-options.ts';
import { chooseControllers, controllerNames } from '../../../src/controllers/controller-names.ts';
import { knownFeatures } from '../../../src/observe/feature-gates.ts';
import { showGates } from '../../../src/observe/gate-metrics.ts';
import { createImpersonationMetrics } from '../../../src/observe/impersonation-metrics.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { currentRelease, newestRelease, type Release } from '../../../src/observe/release.ts';
import { createAuthorizationMetrics } from '../../../src/observe/authorization-metrics.ts';
import { createExpressionMetrics } from '../../../src/observe/expression-metrics.ts';
import { createAdmissionMetrics } from '../../../src/observe/admission-metrics.ts';
import { createAggregationMetrics } from '../../../src/observe/aggregation-metrics.ts';
import { createExtensionMetrics } from '../../../src/observe/extension-metrics.ts';
import { createAuditMetrics } from '../../../src/observe/audit-metrics.ts';
import { createControllerMetrics } from '../../../src/observe/controller-metrics.ts';
import {
  createBorrowingMetrics,
  createDemandMetrics,
  createFlowControlMetrics,
  createSeatMetrics,
} from '../../../src/observe/flow-control-metrics.ts';
import { createPodSecurityMetrics } from '../../../src/observe/pod-security-metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import { createFileReloads, createWorkerMetrics } from '../../../src/observe/worker-metrics.ts';
import { startErrorCodes } from '../../../src/base/start-error.ts';
import { repositoryRoot } from '../../support/paths.ts';
import { rowsBelow } from '../../support/readme.ts';

const flagsGuide = 'src/cli/README.md';

test('every flag, with its default and purpose', () => {
  expect(rowsBelow(flagsGuide, 'Flags')).toEqual(
    serveFlags.map((flag) => [`--${flag.name}`, flag.default, flag.description]),
  );
});

test('every flag without effect, with the reason', () => {
  expect(rowsBelow(flagsGuide, 'Flags without effect')).toEqual(
    acceptedFlags.map(({ name, why, isDeprecated }) => [
      `--${name}`,
      isDeprecated === true ? 'yes' : '',
      why,
    ]),
  );
});

test('every flag of controllers, with its default and purpose', () => {
  expect(rowsBelow(flagsGuide, 'Flags of controllers')).toEqual(
    controllersFlags.map((flag) => [`--${flag.name}`, flag.default, flag.description]),
  );
});

test('every flag of backup, restore and testing, with its default and purpose', () => {
  for (const [heading, flags] of [
    ['Flags of backup', backupFlags],
    ['Flags of restore', restoreFlags],
    ['Flags of testing', testingFlags],
  ] as const) {
    expect(rowsBelow(flagsGuide, heading)).toEqual(
      flags.map((flag) => [`--${flag.name}`, flag.default, flag.description]),
    );
  }
});

test('every start error, with its meaning', () => {
  expect(rowsBelow('src/cli/README.md', 'Start errors')).toEqual(Object.entries(startErrorCodes));
});

test('every admission plugin, in the order of the chain, marked where it is off', () => {
  const isOn = new Set<string>(defaultPluginNames);
  const listed = rowsBelow('src/admission/README.md', 'Plugins').map(([name]) => name);
  expect(listed).toEqual(admissionPluginNames.map((name) => (isOn.has(name) ? name : `${name} (off)`)));
});

test('every feature gate, with its stage and purpose', () => {
  expect(rowsBelow('src/observe/README.md', 'Feature gates')).toEqual(
    knownFeatures.map(({ name, stage, purpose }) => [name, stage, purpose]),
  );
});

/** Name, type and meaning of each metric of a release. */
async function metricsOf(release: Release): Promise<(string | undefined)[][]> {
  const metrics = new Metrics({ release });
  createServerMetrics(metrics);
  createAuditMetrics(metrics);
  createAuthorizationMetrics(metrics);
  createImpersonationMetrics(metrics);
  createAdmissionMetrics(metrics);
  createExpressionMetrics(metrics);
  createPodSecurityMetrics(metrics);
  createExtensionMetrics(metrics);
  createAggregationMetrics(metrics);
  createFlowControlMetrics(metrics);
  createBorrowingMetrics(metrics);
  createDemandMetrics(metrics);
  createSeatMetrics(metrics, 10);
  createControllerMetrics(metrics);
  createFileReloads(metrics);
  createWorkerMetrics(metrics);
  showGates(metrics, [], { all: () => new Map() });
  const text = await metrics.text();
  const types = [...text.matchAll(/^# TYPE \S+ (\S+)$/gm)].map((match) => match[1]);
  const helps = [...text.matchAll(/^# HELP (\S+) (.+)$/gm)];
  return helps.map((match, i) => [match[1], types[i], match[2]?.replace('[ALPHA] ', '')]);
}

test('every metric, with its type and meaning', async () => {
  expect(rowsBelow('src/observe/README.md', 'Metrics')).toEqual(await metricsOf(currentRelease));
});

test('every metric that the newest release has beside them', async () => {
  const former = new Set((await metricsOf(currentRelease)).map(([name]) => name));
  const later = (await metricsOf(newestRelease)).filter(([name]) => !former.has(name));
  expect(rowsBelow('src/observe/README.md', 'Metrics of later releases')).toEqual(later);
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
  const documented = rowsBelow('src/http/README.md', 'Errors').map(
    ([code, reason]) => `${code ?? ''} ${reason ?? ''}`,
  );
  expect(documented).toEqual([...new Set(made)].sort());
});

test('every controller, marked where it is off', () => {
  const isOn = chooseControllers(['*']).names;
  const listed = rowsBelow('src/controllers/README.md', 'Controllers by name').map(([name]) => name);
  expect(listed).toEqual(controllerNames.map((name) => (isOn.has(name) ? name : `${name} (off)`)));
});
