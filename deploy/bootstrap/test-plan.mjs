/** Which stages `npm test` runs, and which files of them, from the words of the command. */
import { readdirSync } from 'node:fs';
import { inRoot } from './paths.mjs';
import { stageNames, suites } from './stages.mjs';

/**
 * No word: everything. A stage, with patterns of paths within it or without. Patterns alone: the suites that have files
 * whose path below test/ matches one of them.
 * @returns {{ name: string, patterns: string[] }[]} stages in their order; patterns match paths below the suite's folder
 * @throws Error where no stage and no test file is meant
 */
export function testPlan(words, files = testFiles()) {
  const [first, ...rest] = words;
  if (first === undefined) return stageNames.map((name) => ({ name, patterns: [] }));
  if (stageNames.includes(first)) return [{ name: first, patterns: rest }];
  const patterns = words.map((word) => word.replace(/^(\.\/)?test\//, ''));
  const plan = Object.keys(suites).flatMap((name) => suitePlan(name, patterns, files));
  if (plan.length > 0) return plan;
  throw new Error(
    `no stage and no test file matches ${words.join(' ')}: stages are ${stageNames.join(', ')}`,
  );
}

function suitePlan(name, patterns, files) {
  const matching = files.filter((file) => file.startsWith(`${name}/`) && matches(file, patterns));
  return matching.length === 0
    ? []
    : [{ name, patterns: matching.map((file) => `${escaped(file.slice(name.length + 1))}$`) }];
}

function matches(file, patterns) {
  return patterns.some((pattern) => new RegExp(pattern).test(file));
}

function escaped(path) {
  return path.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Paths below test/, with forward slashes. */
function testFiles() {
  return readdirSync(inRoot('test'), { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts'));
}
