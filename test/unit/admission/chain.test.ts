/** When the mutating phase runs again. */
import { createAdmissionChain } from '../../../src/admission/chain.ts';

test('the mutating phase runs again once when a plugin asks for it, with all plugins, in the same round', async () => {
  const told: string[] = [];
  const chain = createAdmissionChain([
    {
      name: 'first',
      admit: (_attributes, { isRepeated }) => {
        told.push(`first ${String(isRepeated)}`);
        return Promise.resolve();
      },
    },
    {
      name: 'second',
      admit: (_attributes, round) => {
        told.push(`second ${String(round.isRepeated)}`);
        round.repeat();
        return Promise.resolve();
      },
    },
  ]);
  await chain.admit({} as never);
  expect(told).toEqual(['first false', 'second false', 'first true', 'second true']);
});
