import { execFileSync } from 'node:child_process';

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

test('the top level of the repository holds what architecture allows, and dot-files', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: repositoryRoot, encoding: 'utf8' }).split('\n');
  const names = new Set(files.filter(Boolean).map((path) => path.split('/')[0] ?? ''));
  expect(names).toContain('src');
  expect([...names].filter((name) => !name.startsWith('.') && !allowed.includes(name))).toEqual([]);
});
