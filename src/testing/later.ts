/**
 * What a test may never use, loaded when it is first used. An `import` of a module of Node reads all that it exports, with
 * what that loads: together they would take 15 MB and 40 ms of every process of a test.
 */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

export const later = {
  get crypto() {
    return load('node:crypto') as typeof import('node:crypto');
  },
  get fs() {
    return load('node:fs') as typeof import('node:fs');
  },
  get https() {
    return load('node:https') as typeof import('node:https');
  },
  get os() {
    return load('node:os') as typeof import('node:os');
  },
  get v8() {
    return load('node:v8') as typeof import('node:v8');
  },
  get yaml() {
    return load('js-yaml') as typeof import('js-yaml');
  },
};
