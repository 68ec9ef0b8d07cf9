/**
 * The one way in of the npm scripts: sets up what is missing (dependencies with the pinned Node, etcd, build), then
 * runs the command with the pinned Node. Plain JavaScript without dependencies, for Node 20 and newer.
 *
 *   node deploy/bootstrap.mjs start [arguments of the service]
 *   node deploy/bootstrap.mjs test  [stage] [path pattern ...]
 *   node deploy/bootstrap.mjs bench [arguments of the bench]
 *   node deploy/bootstrap.mjs simulate [arguments of the simulation]
 *   node deploy/bootstrap.mjs build
 */
import { ensureBuild } from './bootstrap/build.mjs';
import { ensureDependencies } from './bootstrap/dependencies.mjs';
import { pinnedNode } from './bootstrap/paths.mjs';
import { ensureEtcd, ensureEtcdctl } from './bootstrap/programs.mjs';
import { foreground, say } from './bootstrap/run.mjs';
import { runTests } from './bootstrap/test-stages.mjs';

// Node would open its inspector; older ones that run this do not know --disable-sigusr1.
process.on('SIGUSR1', () => {});

const commands = {
  async start(args) {
    ensureDependencies();
    if (startsEtcd(args) || movesSnapshots(args)) ensureEtcd();
    if (movesSnapshots(args)) ensureEtcdctl();
    ensureBuild();
    return serve(args);
  },
  async test(args) {
    ensureDependencies();
    return runTests(args);
  },
  async bench(args) {
    ensureDependencies();
    ensureEtcd();
    ensureBuild();
    return foreground(pinnedNode(), ['test/bench/main.ts', ...args]);
  },
  async simulate(args) {
    ensureDependencies();
    return foreground(pinnedNode(), ['test/simulation/main.ts', ...args]);
  },
  async build() {
    ensureDependencies();
    ensureBuild();
    return 0;
  },
};

/** Without core dumps, which would hold keys, and without Node's inspector, which would show them to every user. */
function serve(args) {
  const words = [pinnedNode(), '--disable-sigusr1', 'dist/main.js', ...args];
  if (process.platform === 'win32') return foreground(words[0], words.slice(1), { channel: true });
  return foreground('/bin/sh', ['-c', 'ulimit -c 0; exec "$@"', 'sh', ...words], { channel: true });
}

/** Only serving starts an etcd, and not when it is told of another; other subcommands and questions do not. */
function startsEtcd(args) {
  const [first] = args;
  const serves = first === undefined || first === 'serve' || first.startsWith('-');
  return serves && !args.some((arg) => /^(--etcd-servers(=|$)|--help$|-h$|--version$|-V$)/.test(arg));
}

/** These need etcd's own programs. */
function movesSnapshots([first, ...rest]) {
  return ['backup', 'restore'].includes(first) && !rest.some((arg) => /^(--help|-h)$/.test(arg));
}

async function main([name, ...args]) {
  const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
  if (command === undefined)
    throw new Error(`unknown command ${name ?? ''}: use one of ${Object.keys(commands).join(', ')}`);
  return command(args);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    say(error.message);
    process.exitCode = 1;
  },
);
