/** What strategies learn of where a write is carried out. */
import { apiContext } from '../../../src/registry/registry-context.ts';
import type { RegistryDeps } from '../../../src/registry/registry-context.ts';
import type { RequestScope } from '../../../src/registry/types.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';

const contextOf = (growth?: RequestScope['growth']) =>
  apiContext(
    {} as RegistryDeps,
    { resource: { gvr: {} }, ...(growth && { growth }) } as unknown as RequestScope,
  );

test('a write that may move begins by an error; only one in a write thread may take long', () => {
  expect(contextOf('moves').noteLongWork).toThrow(GrownWrite);
  expect(contextOf('stays').noteLongWork).toBeUndefined();
  expect([contextOf('stays'), contextOf('moves'), contextOf()].map(({ isAside }) => isAside)).toEqual([
    true,
    false,
    false,
  ]);
});
