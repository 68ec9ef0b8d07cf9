/** Flags of kube-apiserver that change nothing here, and names that it has deprecated: a start succeeds and says so. */
import { acceptedFlagDefinitions, acceptedFlags } from '../../../src/options/accepted/accepted-flags.ts';
import { deprecatedNames } from '../../../src/options/accepted/deprecated-names.ts';
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import { serveFlags, takenFlags } from '../../../src/options/serve-flags.ts';
import { commandOf, parseFlags } from '../../../src/cli/parse-flags.ts';

async function read(...words: string[]): ReturnType<typeof configFromFlags> {
  const { texts, errors } = parseFlags(commandOf('', '', takenFlags), takenFlags, words);
  expect(errors).toEqual([]);
  return configFromFlags(texts);
}

test('all of them at once: one warning each, no error', async () => {
  const words = acceptedFlagDefinitions.map(({ name, value }) =>
    value === '' ? `--${name}` : `--${name}=1`,
  );
  const { config, errors } = await read(...words);
  expect(errors).toEqual([]);
  expect(config.flagWarnings).toHaveLength(words.length);
  expect(config.flagWarnings).toContain(
    'flag --insecure-port has no effect: everything is served over TLS on --secure-port',
  );
});

test('none given, no warning', async () => {
  expect((await read('--secure-port=0')).config.flagWarnings).toEqual([]);
});

test('underscores and hyphens are the same', async () => {
  const { flagWarnings } = (await read('--log-dir=a', '--log_file', 'b')).config;
  expect(flagWarnings.map((text) => text.split(' ')[1])).toEqual(['--log-dir', '--log_file']);
});

test('a reason is a sentence, and no name is taken twice', () => {
  expect(acceptedFlags.filter(({ why }) => !/^[A-Z].*\.$/.test(why))).toEqual([]);
  expect(acceptedFlags.map(({ name }) => name)).toEqual(acceptedFlags.map(({ name }) => name).sort());
  expect(new Set(takenFlags.map(({ name }) => name)).size).toBe(takenFlags.length);
});

test('deprecated names name a flag, and mean it', async () => {
  const names = new Set<string>(serveFlags.map(({ name }) => name));
  expect(deprecatedNames.filter(({ use }) => !names.has(use))).toEqual([]);
  const { config, errors } = await read('--service-account-api-audiences=a,b');
  expect([errors, config.flagWarnings]).toEqual([
    [],
    ['flag --service-account-api-audiences is deprecated: use --api-audiences'],
  ]);
  expect(JSON.stringify(config)).toContain('["a","b"]');
});

test('a list of all admission plugins turns the others off', async () => {
  const { config, errors } = await read('--admission-control=NamespaceLifecycle,LimitRanger');
  expect(errors).toEqual([]);
  expect([...config.admission.plugins].sort()).toEqual(['LimitRanger', 'NamespaceLifecycle']);
});

test('a deprecated name beside the one that replaces it is an error', async () => {
  const both = await read('--service-account-api-audiences=a', '--api-audiences=b');
  expect(both.errors).toMatchObject([{ code: 'FLAG_COMBINATION' }]);
});
