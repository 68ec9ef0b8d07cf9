/** The matchers for tests that import `expect` from `@jest/globals`, whose types are elsewhere. */
import type {} from 'expect';
import type { ObjectMatchers } from './types.ts';

export * from './index.ts';

declare module 'expect' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars -- it is merged
  interface Matchers<R extends void | Promise<void>, T = unknown> extends ObjectMatchers<R> {}
}
