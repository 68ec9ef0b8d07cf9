/** dist/: JavaScript of src/ with the .proto files beside it; made again only when a source has changed. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { recordBuild } from './build-info.mjs';
import { inRoot, local, pinnedNode, root } from './paths.mjs';
import { step } from './run.mjs';

const source = inRoot('src');
const output = inRoot('dist');
const stampName = '.stamp';
/** No build takes as long. */
const staleMs = 3_600_000;
const stamp = join(output, stampName);
const settings = [
  ...['tsconfig.json', 'test/tools/tsconfig.build.json', 'package-lock.json'],
  ...['beginning', 'bundle', 'declarations', 'entry', 'faces'].map((name) => `deploy/bootstrap/${name}.mjs`),
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
  // From nothing, so that nothing of a removed source stays, and in a folder of its own: services that run from the
  // former build start processes from it meanwhile, and go on to where this fails. Others may build at the same time.
  mkdirSync(local, { recursive: true, mode: 0o700 });
  removeStaleBuilds(local);
  const work = mkdtempSync(join(local, 'build-'));
  try {
    const compiler = inRoot('node_modules/typescript/bin/tsc');
    const made = join(work, 'new');
    step('built', pinnedNode(), [compiler, '-p', 'test/tools/tsconfig.build.json', '--outDir', made]);
    for (const file of sources.filter((name) => !name.endsWith('.ts'))) copyTo(made, file);
    step('parsed', pinnedNode(), ['deploy/bootstrap/declarations.mjs', made]);
    // The service reads its version beside its folder.
    copyFileSync(inRoot('package.json'), join(work, 'package.json'));
    step('begun', pinnedNode(), ['deploy/bootstrap/beginning.mjs', made]);
    step('bundled', pinnedNode(), ['deploy/bootstrap/bundle.mjs', made]);
    step('made ready for packing', pinnedNode(), ['deploy/bootstrap/faces.mjs', made]);
    step('joined', pinnedNode(), ['deploy/bootstrap/entry.mjs', made]);
    chmodSync(join(made, 'main.js'), 0o755);
    writeFileSync(join(made, stampName), wanted);
    putInPlace(made, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Removes the folders of builds that were ended in the middle. */
export function removeStaleBuilds(folder) {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith('build-'))) {
    const path = join(folder, name);
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - madeAt > staleMs) rmSync(path, { recursive: true, force: true });
  }
}

/** Another build may come first: then that one is the former. */
function putInPlace(made, work) {
  for (let attempt = 1; ; attempt++) {
    if (existsSync(output)) tryRename(output, join(work, `old-${attempt}`));
    if (tryRename(made, output)) return;
    if (attempt === 10) throw new Error(`not built: ${output} cannot be replaced`);
  }
}

function tryRename(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) return false;
    throw error;
  }
}

function copyTo(folder, file) {
  const target = join(folder, relative(source, file));
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
