/** Counts of a test run, in the form of the closing line that CI reads. */
import { existsSync, readFileSync } from 'node:fs';

export class Totals {
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  /** Names of tests that failed first and passed when they ran again. */
  unsteady = [];
  /** Lines about test files whose process was ended, as it did not end them. */
  hung = [];

  /** One check, or one error that no test stands for. */
  add(ok) {
    if (ok) this.#passed += 1;
    else this.#failed += 1;
  }

  /** The results that Jest wrote; its exit code counts where they show no failure. @returns whether all is well */
  addJest(file, code) {
    const result = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : noResult;
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    this.#passed += result.numPassedTests;
    this.#failed += failed === 0 && code !== 0 ? 1 : failed;
    this.#skipped += result.numPendingTests + result.numTodoTests;
    return failed === 0 && code === 0;
  }

  /** Results whose failures, all of these tests, were gone when they ran again. @returns that all is well */
  addUnsteady(file, tests) {
    const { numPassedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(file, 'utf8'));
    this.#passed += numPassedTests + tests.length;
    this.#skipped += numPendingTests + numTodoTests;
    this.unsteady.push(...tests);
    return true;
  }

  get ok() {
    return this.#failed === 0;
  }

  toString() {
    const skipped = this.#skipped > 0 ? `, ${this.#skipped} skipped` : '';
    return `${this.#passed} passed, ${this.#failed} failed${skipped}`;
  }
}

const noResult = {
  numPassedTests: 0,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
  numTodoTests: 0,
};
