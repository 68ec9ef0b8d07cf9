/** The stages of `npm test`, in their order. */
import { ensureBuild } from './build.mjs';
import { inRoot } from './paths.mjs';
import { ensureEtcd, ensureEtcdctl, ensureKubectl, welcomeDocker, welcomePromtool } from './programs.mjs';

const lint = 'eslint/bin/eslint.js --config test/tools/eslint.config.js src test deploy';
const format = 'prettier/bin/prettier.cjs --check --log-level warn';
const formatted = ['src/**/*.ts', 'test/**/*.{ts,js,json}', 'deploy/**/*.mjs'];

/** Programs below node_modules with their arguments. */
export const checks = {
  types: ['typescript/bin/tsc', '-p', '.'],
  lint: lint.split(' '),
  format: [...format.split(' '), ...formatted],
};

/**
 * Jest's suites by folder under test/: how many files run at once, what has to be there first, and whether files share
 * an etcd. Files of integration wait for other processes about half of their time, so that more of them run than there
 * are processors.
 */
export const suites = {
  unit: { workers: 2, needs: [] },
  golden: { workers: 1, needs: [] },
  integration: {
    ...{ workers: 3, sharesEtcd: true },
    needs: [ensureBuild, ensureEtcd, ensureEtcdctl, welcomePromtool],
  },
  cluster: { workers: 1, needs: [ensureBuild, ensureEtcd, ensureEtcdctl, welcomeDocker] },
  clients: { workers: 1, needs: [ensureBuild, ensureEtcd, ensureEtcdctl, ensureKubectl] },
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
