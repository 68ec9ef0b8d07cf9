/** The matchers for Vitest 5, whose types of matchers are its own; those before take them from where Jest has its. */
import type { ObjectMatchers } from './types.ts';

export * from './index.ts';

// eslint-disable-next-line @typescript-eslint/ban-ts-comment -- TS2664: Vitest is the user's, no package of this project has it
// @ts-expect-error
declare module 'vitest' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it is merged
  interface Matchers<
    R extends void | Promise<void> = void | Promise<void>,
    T = unknown, // eslint-disable-line @typescript-eslint/no-unused-vars -- Vitest has it
  > extends ObjectMatchers<R> {}
}
