/**
 * The one way in of the npm scripts: sets up what is missing (dependencies with the pinned Node, etcd, build), then
 * runs the command with the pinned Node. Plain JavaScript without dependencies, for Node 20 and newer.
 *
 *   node deploy/bootstrap.mjs start [flags of the service]
 *   node deploy/bootstrap.mjs test  [stage [path pattern]]
 *   node deploy/bootstrap.mjs bench [flags of the bench]
 *   node deploy/bootstrap.mjs build
 */
import { ensureBuild } from './bootstrap/build.mjs';
import { ensureDependencies } from './bootstrap/dependencies.mjs';
import { ensureEtcd } from './bootstrap/etcd.mjs';
import { pinnedNode } from './bootstrap/paths.mjs';
import { foreground } from './bootstrap/run.mjs';
import { runTests } from './bootstrap/test-stages.mjs';

const commands = {
  async start(args) {
    ensureDependencies();
    if (!args.some((arg) => arg.startsWith('--etcd-servers')) && needsEtcd(args)) ensureEtcd();
    ensureBuild();
    return foreground(pinnedNode(), ['dist/main.js', ...args]);
  },
  async test(args) {
    ensureDependencies();
    ensureEtcd();
    return runTests(args);
  },
  async bench(args) {
    ensureDependencies();
    ensureEtcd();
    ensureBuild();
    return foreground(pinnedNode(), ['test/bench/main.ts', ...args]);
  },
  async build() {
    ensureDependencies();
    ensureBuild();
    return 0;
  },
};

/** Only serving starts an etcd; other subcommands and --help do not. */
function needsEtcd(args) {
  const first = args.find((arg) => !arg.startsWith('-'));
  return (first === undefined || first === 'serve') && !args.includes('--help') && !args.includes('-h');
}

async function main([name, ...args]) {
  const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
  if (!command)
    throw new Error(
      `unknown command ${JSON.stringify(name)}: use one of ${Object.keys(commands).join(', ')}`,
    );
  return command(args);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    console.error(`orch-apiserver: ${error.message}`);
    process.exitCode = 1;
  },
);
