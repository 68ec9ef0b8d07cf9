/**
 * One module out of the forty of `orch-apiserver/testing` that a test's own thread loads: its process has 1 to 2 MB less in memory, and
 * the import takes a third of the processor time. Names and lines stay as they are, so that stack traces can be read. Run by
 * the pinned Node, with the folder of the build, after `faces.mjs`, which follows the imports of the entry.
 */
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const entry = join(resolve(process.argv[2]), 'testing/index.js');

await build({
  entryPoints: [entry],
  outfile: entry,
  allowOverwrite: true,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  plugins: [{ name: 'shared', setup: keepShared }],
});

/** Its class is that of `orch-apiserver`, too: users of both ask whether an error is one. */
function keepShared({ onResolve }) {
  onResolve({ filter: /\/start-error\.js$/ }, () => ({ path: '../base/start-error.js', external: true }));
}
