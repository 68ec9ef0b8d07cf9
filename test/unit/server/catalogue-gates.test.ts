import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { knownFeatures } from '../../../src/observe/feature-gates.ts';
import { gateHistory } from '../../../src/observe/gate-history.ts';
import { repositoryRoot } from '../../support/paths.ts';

const source = join(repositoryRoot, 'src');
const names = new Set([...knownFeatures.map((feature) => feature.name), ...Object.keys(gateHistory)]);

test('every gate that the code asks for by name is known', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const asked = files.flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8');
    return [...text.matchAll(/isFeatureEnabled\('(\w+)'\)/g)].map((match) => match[1] ?? '');
  });
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((name) => !names.has(name))).toEqual([]);
});
