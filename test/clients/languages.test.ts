/** The examples in other languages, run by their own tools: those that the machine has. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { entryPoint, findProgram, nodeBinary, repositoryRoot } from '../support/paths.ts';
import { pythonWith } from './support/python.ts';

const languages = join(repositoryRoot, 'test', 'languages');

interface Language {
  readonly name: string;
  /** What has to be in PATH. */
  readonly programs: readonly string[];
  /** How its runner says that so many tests have passed. */
  readonly passed: RegExp;
  /** @returns what the runner printed @throws Error with it if a test has failed */
  run(): Promise<string>;
}

/** Packages are fetched and compiled, once for a machine. */
const limitMs = 600_000;

const all: readonly Language[] = [
  {
    name: 'Go, client-go',
    programs: ['go'],
    passed: /(?:--- PASS: Test[^]*){5}/,
    run: () => run('go', ['test', '-count=1', '-v', './...'], join(languages, 'go')),
  },
  {
    name: 'Python, pytest',
    programs: ['python3'],
    passed: /\b7 passed\b/,
    run: async () => {
      const python = await pythonWith('kubernetes==37.0.2', 'pytest==8.4.2');
      return run(python, ['-m', 'pytest', '-p', 'no:cacheprovider', '.'], join(languages, 'python'));
    },
  },
  {
    name: 'Java, JUnit 5 and Fabric8',
    programs: ['java', 'mvn'],
    passed: /Tests run: 7, Failures: 0, Errors: 0, Skipped: 0/,
    run: () => run('mvn', ['--batch-mode', '--no-transfer-progress', 'test'], join(languages, 'java')),
  },
];

const isAtHand = ({ programs }: Language): boolean =>
  programs.every((program) => findProgram(program) !== undefined);

for (const { name, programs } of all.filter((language) => !isAtHand(language)))
  console.log(`left out: ${name}, for there is no ${programs.join(' or no ')} in PATH`);

describe.each(all.map((language) => [language.name, language] as const))('%s', (_, language) => {
  const where = isAtHand(language) ? test : test.skip;
  where('its example passes', async () => expect(await language.run()).toMatch(language.passed), limitMs);
});

function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const env = {
    ...process.env,
    ORCH_APISERVER: `${nodeBinary()} ${entryPoint()}`,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const options = { cwd, env, timeout: limitMs, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const output = stdout + stderr;
      if (error === null) resolve(output);
      else reject(new Error(`${program} ${args.join(' ')}: ${error.message}\n${output.slice(-10_000)}`));
    });
  });
}
