import { sourceFiles } from '../../tools/source-files.ts';

const profileNames =
  /orch\.io|k8s\.io|kubernetes\.io|x-orch|x-kubernetes|orch-system|kube-system|vnd\.orch|vnd\.kubernetes/;

/** Lines that spell a name which only a naming profile may spell. */
function spelled(path: string, text: string): string[] {
  return text
    .split('\n')
    .map((line, i) => ({ line, at: `src/${path}:${String(i + 1)}` }))
    .filter(({ line }) => profileNames.test(line))
    .map(({ line, at }) => `${at}: ${line.trim()}`);
}

test('the check finds a spelled name', () => {
  expect(spelled('a.ts', `const group = 'storage.k8s.io';\nconst x = 1;`)).toEqual([
    `src/a.ts:1: const group = 'storage.k8s.io';`,
  ]);
});

test('no file but the naming profiles spells their names', () => {
  const files = sourceFiles(['.ts', '.proto']).filter((file) => !file.path.startsWith('meta/naming'));
  expect(files.flatMap((file) => spelled(file.path, file.text))).toEqual([]);
});
