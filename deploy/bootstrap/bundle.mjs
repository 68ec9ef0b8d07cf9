/**
 * One module out of the thousand that the thread of control planes for tests loads: it starts in half of the time. Packages
 * stay modules of their own. Names and lines stay as they are, so that stack traces can be read. Run by the pinned Node, with
 * the folder of the build.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';

const output = resolve(process.argv[2]);
const program = join(output, 'testing/host/thread-main.js');
const folder = dirname(program);

await build({
  entryPoints: [program],
  outdir: folder,
  allowOverwrite: true,
  bundle: true,
  packages: 'external',
  // What the program imports later is in files of its own.
  splitting: true,
  chunkNames: 'thread-[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  plugins: [{ name: 'places', setup: keepPlaces }],
});

/** Modules find files by where they are, and not by where the bundle is. */
function keepPlaces({ onLoad }) {
  onLoad({ filter: /\.js$/ }, ({ path }) => {
    const place = JSON.stringify(`/${relative(folder, dirname(path)).replaceAll(sep, '/')}`);
    const contents = readFileSync(path, 'utf8')
      .replaceAll('import.meta.dirname', `(import.meta.dirname + ${place})`)
      .replaceAll('import.meta.filename', JSON.stringify(basename(path)));
    return { contents, loader: 'js' };
  });
}
