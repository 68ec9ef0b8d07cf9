/** `--help` of the service. */
import { runCli } from '../../../src/cli/program.ts';
import { knownFeatures } from '../../../src/observe/feature-gates.ts';

test('lists flags, and each feature gate with its stage and default', async () => {
  let text = '';
  const out = (line: string): void => {
    text += `${line}\n`;
  };
  expect(await runCli(['--help'], { out, err: out, isTerminal: false })).toBe(0);
  expect(text).toContain('--tls-sni-cert-key <CERT,KEY[:NAMES]>');
  expect(text).toMatch(/^ {2}ServerSideApply=true\|false \(BETA - default=true\) \S/m);
  const missing = knownFeatures.filter(({ name }) => !text.includes(`\n  ${name}=`));
  expect(missing).toEqual([]);
});
