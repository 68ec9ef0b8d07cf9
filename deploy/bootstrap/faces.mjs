/**
 * What a package needs beside the modules of dist/: the declarations that its entries reach, and CommonJS of the half of
 * `orch-apiserver/testing` that runs in the thread of a test, for `require` and for Jest. Run by the pinned Node, with the
 * folder of the build.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transformSync } from '@swc/core';

const [, , output] = process.argv;
const matchers = ['index', 'jest-globals', 'vitest'].map((name) => `testing/matchers/${name}`);
const entries = ['index', 'testing/index', ...matchers];
const commonJsEntries = entries.slice(1);

const relativeImport = /(?<=(?:\bfrom |\bimport |\bimport\()['"])(\.[^'"]+)\.[jt]s(?=['"])/g;

declarations();
commonJs();

/** Keeps the declarations that a user's compiler reads, whose imports name files that exist. */
function declarations() {
  const reached = reachedFrom(entries, '.d.ts');
  for (const path of readdirSync(output, { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
    const file = join(output, path);
    if (reached.has(file))
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(relativeImport, '$1.js'));
    else rmSync(file);
  }
}

function commonJs() {
  for (const file of reachedFrom(commonJsEntries, '.js')) {
    const { code } = transformSync(readFileSync(file, 'utf8'), {
      filename: file,
      jsc: { target: 'es2022' },
      module: { type: 'commonjs', importInterop: 'node' },
    });
    writeFileSync(
      file.replace(/\.js$/, '.cjs'),
      code.replaceAll(/(?<=require\(")(\.[^"]+)\.js(?="\))/g, '$1.cjs'),
    );
  }
  for (const file of reachedFrom(commonJsEntries, '.d.ts'))
    writeFileSync(
      file.replace(/\.ts$/, '.cts'),
      readFileSync(file, 'utf8').replaceAll(relativeImport, '$1.cjs'),
    );
}

/** Files with the ending that the entries import, directly or not. */
function reachedFrom(names, ending) {
  const reached = new Set();
  const open = names.map((name) => join(output, `${name}${ending}`)).filter((file) => existsSync(file));
  while (open.length > 0) {
    const file = open.pop();
    if (reached.has(file)) continue;
    reached.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(relativeImport))
      open.push(`${resolve(dirname(file), path)}${ending}`);
  }
  return reached;
}
