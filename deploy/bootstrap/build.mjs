/** dist/: JavaScript of src/ with the .proto files beside it; made again only when a source has changed. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { recordBuild } from './build-info.mjs';
import { inRoot, pinnedNode, root } from './paths.mjs';
import { step } from './run.mjs';

const source = inRoot('src');
const output = inRoot('dist');
const stamp = join(output, '.stamp');
const settings = [
  ...['tsconfig.json', 'test/tools/tsconfig.build.json', 'package-lock.json'],
  'deploy/bootstrap/faces.mjs',
];

/** Builds when needed. @throws Error with the compiler's output shown */
export function ensureBuild() {
  const sources = filesBelow(source);
  const wanted = fingerprint([...sources, ...settings.map((file) => inRoot(file))]);
  const isMade = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (!isMade) build(sources, wanted);
  recordBuild(root, { file: join(output, 'build.json'), isNew: !isMade });
}

function build(sources, wanted) {
  // From nothing, so that nothing of a removed source stays; the stamp comes last, so that half a build is none.
  rmSync(output, { recursive: true, force: true });
  const compiler = inRoot('node_modules/typescript/bin/tsc');
  step('built', pinnedNode(), [compiler, '-p', 'test/tools/tsconfig.build.json']);
  for (const file of sources.filter((name) => !name.endsWith('.ts'))) copyToOutput(file);
  step('made ready for packing', pinnedNode(), ['deploy/bootstrap/faces.mjs']);
  chmodSync(join(output, 'main.js'), 0o755);
  writeFileSync(stamp, wanted);
}

function copyToOutput(file) {
  const target = join(output, relative(source, file));
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(file, target);
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** Names, sizes and times of all that a build reads: cheap, and different after every edit. */
function fingerprint(files) {
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
