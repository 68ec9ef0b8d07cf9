import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gateHistory } from '../../../src/observe/gate-history.ts';
import { repositoryRoot } from '../../support/paths.ts';

const source = join(repositoryRoot, 'src');
const lists = /observe.(?:inert-)?gate-history\.ts$|observe.feature-gates\.ts$/;
const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(?:ts|proto)$/.test(file) && !lists.test(file))
  .map((file) => readFileSync(join(source, file), 'utf8'));
const askedFor =
  /(?:isFeatureEnabled|isEnabled)\(\s*'([A-Z]\w+)'|\(gate\) = "(\w+)"|\bgate: '(\w+)'|"(?:gate|alpha) (\w+)/g;

test('every gate that the code asks for by name has a history, and none is listed as changing nothing', () => {
  const asked = texts.flatMap((text) => [...text.matchAll(askedFor)].map((match) => match.slice(1).join('')));
  expect(asked.length).toBeGreaterThan(100);
  expect([...new Set(asked)].filter((name) => !Object.hasOwn(gateHistory, name))).toEqual([]);
});

test('every gate with a history that counts is named by the code', () => {
  const words = new Set(texts.flatMap((text) => text.match(/\w+/g) ?? []));
  expect(Object.keys(gateHistory).filter((name) => !words.has(name))).toEqual([]);
});
