/** The stages of `npm test`, in their order. */
import { ensureBuild } from './build.mjs';
import { inRoot } from './paths.mjs';
import { ensureKubectl, welcomeDocker, welcomePromtool } from './programs.mjs';
import { ensureTestEtcd, newerEtcd } from './test-etcd.mjs';

const lint = 'node_modules/eslint/bin/eslint.js --config test/tools/eslint.config.js src test deploy';
const format = 'node_modules/prettier/bin/prettier.cjs --check --log-level warn';
const formatted = ['src/**/*.ts', 'test/**/*.{ts,js,json}', 'deploy/**/*.mjs'];

/**
 * Programs with their arguments. The longest, lint, keeps one processor busy: the other one builds meanwhile what later
 * suites run, which would wait for it else.
 */
export const checks = {
  types: ['node_modules/typescript/bin/tsc', '-p', '.'],
  lint: lint.split(' '),
  format: [...format.split(' '), ...formatted],
  build: ['deploy/bootstrap.mjs', 'build'],
};

/** What depends on the release of etcd most: start, watches, compaction, users, transactions, leases, restore. */
const ofEtcd = [
  'storage/(claims|cluster|compactor|contract|fragments|full-database|leases|long-past|metrics|watch).test',
  'restore/whole-service.test',
];

/**
 * Jest's suites by folder under test/: how many files run at once, what has to be there first, and whether files share
 * an etcd. Files of integration wait for other processes about half of their time, so that more of them run than there
 * are processors. `newer-etcd` is some files of integration again; where its etcd cannot be had, it is left out.
 */
export const suites = {
  unit: { workers: 2, needs: [] },
  golden: { workers: 1, needs: [] },
  simulation: { workers: 2, needs: [] },
  examples: { workers: 2, needs: [] },
  integration: {
    ...{ workers: 3, sharesEtcd: true },
    needs: [ensureBuild, ensureTestEtcd, welcomePromtool],
  },
  'newer-etcd': {
    ...{ workers: 3, sharesEtcd: true, folder: 'integration', files: ofEtcd, etcd: newerEtcd },
    needs: [ensureBuild],
  },
  cluster: { workers: 1, needs: [ensureBuild, ensureTestEtcd, welcomeDocker] },
  clients: { workers: 2, needs: [ensureBuild, ensureTestEtcd, ensureKubectl] },
};

/** What tests of a suite find in their environment: those that need the built program run that, as users do. */
export function environmentOf(name) {
  const { needs, sharesEtcd = false } = suites[name];
  return {
    ...(needs.includes(ensureBuild) ? { ORCH_TEST_DIST: inRoot('dist/main.js') } : {}),
    ORCH_TEST_SHARED_ETCD: String(sharesEtcd),
  };
}

export const stageNames = [...Object.keys(checks), ...Object.keys(suites)];
