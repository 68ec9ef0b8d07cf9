/**
 * Which files of a suite run a second time, alone: a few that failed beside others on a busy machine. What passes then
 * is named at the end of the run, so that it gets mended; what fails twice has failed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';

/** More than these did not fail by the machine. */
const mostFiles = 3;

/** A case made at random fails for its seed, and another seed would hide it. */
const namesSeed = /\bseed\b/i;

/**
 * @param file the results that Jest wrote
 * @returns {{ patterns: string[], tests: string[] } | undefined} patterns of the paths of the files below the suite's
 * folder, and the tests that failed; undefined where nothing may run again
 */
export function secondRunOf(file, folder) {
  if (!existsSync(file)) return undefined;
  const failed = JSON.parse(readFileSync(file, 'utf8')).testResults.filter(
    ({ status }) => status === 'failed',
  );
  const mayPass = failed.length > 0 && failed.length <= mostFiles && !failed.some(isOfSeed);
  if (!mayPass) return undefined;
  return {
    patterns: failed.map(({ name }) => `${escaped(pathBelow(name, folder))}$`),
    tests: failed.flatMap((result) => namesOf(result, pathBelow(result.name, folder))),
  };
}

function isOfSeed({ message, assertionResults }) {
  return [message, ...assertionResults.flatMap(({ failureMessages }) => failureMessages)].some((text) =>
    namesSeed.test(text),
  );
}

/** One name for each test; that of the file where it failed as a whole. */
function namesOf({ assertionResults }, path) {
  const names = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  return names.length === 0 ? [path] : names.map((name) => `${path}: ${name}`);
}

function pathBelow(name, folder) {
  return name
    .slice(name.lastIndexOf(`${sep}test${sep}${folder}${sep}`) + folder.length + 7)
    .replaceAll(sep, '/');
}

function escaped(path) {
  return path.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
}
