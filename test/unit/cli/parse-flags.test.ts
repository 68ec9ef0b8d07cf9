import { serveFlags } from '../../../src/options/serve-flags.ts';
import { commandOf, parseFlags, type ParsedFlags } from '../../../src/cli/parse-flags.ts';

function parse(...words: string[]): ParsedFlags {
  return parseFlags(commandOf('x', '', serveFlags), serveFlags, words);
}

test('values come with an equals sign or as the next word; the last of several counts', () => {
  const { texts, errors } = parse(
    '--secure-port=1',
    '--naming',
    'kubernetes',
    '--secure-port',
    '2',
    '-v',
    '4',
  );
  expect(errors).toEqual([]);
  expect(texts).toEqual({ 'secure-port': '2', naming: 'kubernetes', v: '4' });
});

test('repeated lists are joined', () => {
  expect(parse('--etcd-servers=a,b', '--etcd-servers', 'c').texts).toEqual({ 'etcd-servers': 'a,b,c' });
});

test('a true-or-false flag needs no value', () => {
  expect(parse('--anonymous-auth').texts).toEqual({ 'anonymous-auth': 'true' });
  expect(parse('--anonymous-auth=false').texts).toEqual({ 'anonymous-auth': 'false' });
});

test('nothing given gives no texts', () => {
  expect(parse()).toEqual({ texts: {}, errors: [] });
});

test('every unknown flag is reported with the nearest known one; its value is not an unexpected argument', () => {
  const { errors, texts } = parse('--secure-prot', '1', '--colour=blue', '--naming=orch', '--v=2');
  expect(errors).toEqual([
    { code: 'FLAG_UNKNOWN', cause: 'unknown flag --secure-prot', remedy: 'did you mean --secure-port?' },
    { code: 'FLAG_UNKNOWN', cause: 'unknown flag --colour', remedy: 'see --help for the available flags' },
  ]);
  expect(texts).toEqual({ naming: 'orch', v: '2' });
});

test('an unexpected argument is reported', () => {
  expect(parse('sevre', '--v=1').errors).toMatchObject([{ code: 'ARGUMENT_UNEXPECTED' }]);
  expect(parse('--v=1', 'now').errors).toMatchObject([{ code: 'ARGUMENT_UNEXPECTED' }]);
});

test('a missing value is reported', () => {
  expect(parse('--secure-port').errors).toMatchObject([
    { code: 'FLAG_VALUE', cause: "option '--secure-port <PORT>' argument missing" },
  ]);
});
