/** When the mutating phase runs again. */
import { createAdmissionChain } from '../../../src/admission/admission-chain.ts';

test('the mutating phase runs again once when a plugin asks for it, with all plugins, in the same round', async () => {
  const told: string[] = [];
  const chain = createAdmissionChain([
    {
      name: 'first',
      admit: (_attributes, { isReinvocation }) => {
        told.push(`first ${String(isReinvocation)}`);
        return Promise.resolve();
      },
    },
    {
      name: 'second',
      admit: (_attributes, round) => {
        told.push(`second ${String(round.isReinvocation)}`);
        round.requestReinvocation();
        return Promise.resolve();
      },
    },
  ]);
  await chain.admit({} as never);
  expect(told).toEqual(['first false', 'second false', 'first true', 'second true']);
});
