/**
 * The order in which Jest takes test files: first those that take minutes, whatever their size, so that no process works
 * alone at the end of a suite (`longest-files.json`, the longest first).
 */
import TestSequencer from '@jest/test-sequencer';
import longest from './longest-files.json' with { type: 'json' };

export default class LongestFirst extends TestSequencer {
  /** The others in Jest's own order: by how long they took, or by their size. */
  sort(tests) {
    const sorted = super.sort(tests);
    const first = longest.flatMap((end) => sorted.filter(({ path }) => path.endsWith(end)));
    return [...first, ...sorted.filter((test) => !first.includes(test))];
  }
}
