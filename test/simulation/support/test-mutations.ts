/** Tests of known defects: each is found within a few histories. */
import { mutated } from './mutate.ts';
import { mutations } from './mutations.ts';
import { runSimulation } from './run-simulation.ts';

/** Registers the tests of these mutations. */
export function testMutations(names: readonly string[]): void {
  test.each(names)('the text that %s changes is there', (name) => {
    expect(() => mutated(name)).not.toThrow();
  });

  test.each(names)(
    '%s is found',
    async (name) => {
      const { level = 'storage', world, seed = 1 } = mutations[name] ?? {};
      const args = [`--mutation=${name}`, `--level=${level}`, `--seed=${String(seed)}`, '--seeds=10000'];
      const kind = world === undefined ? [] : [`--world=${world}`];
      const { failures, histories } = await runSimulation([...args, ...kind, '--minutes=5', '--no-shrink']);
      process.stderr.write(`simulation: ${name} is found in history ${String(histories)}\n`);
      expect([name, failures]).toEqual([name, 1]);
    },
    400_000,
  );
}
