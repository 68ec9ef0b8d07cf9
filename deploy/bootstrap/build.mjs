/** dist/: JavaScript of src/ with the .proto files beside it; made again only when a source has changed. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { inRoot, pinnedNode } from './paths.mjs';
import { step } from './run.mjs';

const source = inRoot('src');
const output = inRoot('dist');
const stamp = join(output, '.stamp');

/** Builds when needed. @throws Error with the compiler's output shown */
export function ensureBuild() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(stamp, { force: true });
  step('built', pinnedNode(), [
    inRoot('node_modules/typescript/bin/tsc'),
    '-p',
    'test/tools/tsconfig.build.json',
  ]);
  for (const file of sourceFiles().filter((name) => !name.endsWith('.ts'))) copyToOutput(file);
  writeFileSync(stamp, wanted);
}

function copyToOutput(file) {
  const target = join(output, relative(source, file));
  mkdirSync(dirname(target), { recursive: true });
  cpSync(file, target);
}

function sourceFiles() {
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Names, sizes and times of all that a build reads: cheap, and different after every edit. */
function fingerprint() {
  const hash = createHash('sha256');
  const settings = [
    inRoot('tsconfig.json'),
    inRoot('test/tools/tsconfig.build.json'),
    inRoot('package-lock.json'),
  ];
  for (const file of [...sourceFiles(), ...settings].sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
