import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryRoot } from '../../support/paths.ts';

const allowed = [
  'deploy',
  'docker-compose.yml',
  'Dockerfile',
  'package-lock.json',
  'package.json',
  'README.md',
  'src',
  'test',
  'tsconfig.json',
];

/** What a checkout makes for itself. */
function ignored(): string[] {
  const lines = readFileSync(join(repositoryRoot, '.gitignore'), 'utf8').split('\n');
  return lines.map((line) => line.replace(/\/$/, ''));
}

test('the top level of the repository holds what architecture allows, and dot-files', () => {
  const names = readdirSync(repositoryRoot).filter((name) => !ignored().includes(name));
  expect(names).toContain('src');
  expect(names.filter((name) => !name.startsWith('.') && !allowed.includes(name))).toEqual([]);
});
