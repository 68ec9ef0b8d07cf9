/** Which provider encrypts a value, which decrypt it, and when what is stored is stale. */
import { systemClock } from '../../../../src/base/clock.ts';
import { Transformer, type OpenedValue } from '../../../../src/storage/encryption/transformer.ts';
import type { EncryptionProvider, EncryptionRule } from '../../../../src/storage/encryption/rules.ts';

const secrets = 'core/secrets';
const key = Buffer.from('/registry/core/secrets/default/a');
const plain = Buffer.from('{"kind":"Secret"}');

const provider = (
  kind: 'aesgcm' | 'aescbc' | 'secretbox',
  name: string,
  byte = name,
): EncryptionProvider => ({
  kind,
  keys: [{ name, secret: Buffer.alloc(32, byte).toString('base64') }],
});
const identity: EncryptionProvider = { kind: 'identity' };
const rule = (...providers: EncryptionProvider[]): EncryptionRule[] => [
  { resources: ['secrets'], providers },
];

let observed: string[];
beforeEach(() => {
  observed = [];
});

function transformer(rules: readonly EncryptionRule[] | undefined): Transformer {
  const observeTransformation = (type: string, prefix: string, _seconds: number, isDone: boolean): void => {
    observed.push(`${type} ${prefix} ${String(isDone)}`);
  };
  return new Transformer(
    { clock: systemClock, word: 'k8s', metrics: { observeTransformation }, onRecovered: () => undefined },
    rules,
  );
}

const seal = (by: Transformer, collection = secrets): Buffer => by.seal(collection, key, plain) as Buffer;
const open = (by: Transformer, value: Buffer): OpenedValue => by.open(secrets, key, value) as OpenedValue;

test.each(['aesgcm', 'aescbc', 'secretbox'] as const)(
  '%s: the prefix names the cipher and the key',
  (kind) => {
    const one = transformer(rule(provider(kind, 'key1')));
    const sealed = seal(one);
    expect(sealed.toString('latin1').startsWith(`k8s:enc:${kind}:v1:key1:`)).toBe(true);
    expect(one.isSealed(sealed)).toBe(true);
    const opened = open(one, sealed);
    expect(opened.value).toEqual(plain);
    expect(opened.form?.isStale).toBe(false);
    expect(observed).toEqual([
      `to_storage k8s:enc:${kind}:v1: true`,
      `from_storage k8s:enc:${kind}:v1: true`,
    ]);
  },
);

test('the first provider writes, all read; what another one wrote is stale', () => {
  const old = transformer(rule(provider('aescbc', 'a')));
  const both = transformer(rule(provider('aesgcm', 'b'), provider('aescbc', 'a'), identity));
  expect(seal(both).toString('latin1')).toContain('aesgcm');
  expect(open(both, seal(old))).toMatchObject({ value: plain, form: { isStale: true } });
  expect(open(both, seal(both)).form?.isStale).toBe(false);
  expect(both.plainForm(secrets)?.isStale).toBe(true);
});

test('the second key of a provider reads; its values are stale', () => {
  const keys = ['new', 'old'].map((name) => ({ name, secret: Buffer.alloc(32, name).toString('base64') }));
  const both = transformer(rule({ kind: 'aesgcm', keys }));
  expect(open(both, seal(transformer(rule(provider('aesgcm', 'old')))))).toMatchObject({
    value: plain,
    form: { isStale: true },
  });
});

test('keys of one name that differ are tried one after the other', () => {
  const old = transformer(rule(provider('aesgcm', 'key', '1')));
  const both = transformer(rule(provider('aesgcm', 'key', '2'), provider('aesgcm', 'key', '1')));
  expect(open(both, seal(old))).toMatchObject({ value: plain, form: { isStale: true } });
});

test('another configuration makes stale what was read before, the same one does not', () => {
  const one = transformer(rule(provider('aesgcm', 'a'), identity));
  const { form } = open(one, seal(one));
  const plainForm = one.plainForm(secrets);
  one.use(rule(provider('aesgcm', 'a'), identity));
  expect([form?.isStale, plainForm?.isStale]).toEqual([false, true]);
  one.use(rule(provider('aesgcm', 'b'), provider('aesgcm', 'a')));
  expect(form?.isStale).toBe(true);
  one.use(rule(identity, provider('aesgcm', 'a')));
  expect([form?.isStale, plainForm?.isStale]).toEqual([true, false]);
  expect(seal(one)).toEqual(plain);
});

test('a wrong key, a missing key, a cipher that is not configured, and text where only ciphers are', () => {
  const sealed = seal(transformer(rule(provider('aesgcm', 'a', '1'))));
  const wrong = transformer(rule(provider('aesgcm', 'a', '2'), identity));
  expect(() => open(wrong, sealed)).toThrow();
  expect(() => open(transformer(rule(provider('aesgcm', 'b'))), sealed)).toThrow('no provider');
  expect(() => open(transformer(rule(identity)), sealed)).toThrow('no provider');
  expect(() => open(transformer(undefined), sealed)).toThrow('no provider');
  expect(() => wrong.plainForm(secrets)).not.toThrow();
  expect(() => transformer(rule(provider('aesgcm', 'a'))).plainForm(secrets)).toThrow('no provider');
  expect(observed).toContain('from_storage k8s:enc:aesgcm:v1: false');
  expect(observed).toContain('from_storage unknown false');
});

test('a value of aesgcm is bound to its key in etcd', () => {
  const one = transformer(rule(provider('aesgcm', 'a')));
  const sealed = seal(one);
  expect(() => one.open(secrets, Buffer.from('/registry/core/secrets/default/b'), sealed)).toThrow();
});

test('resources: by name, of a group, of all; the most exact rules count', () => {
  const only = (name: string, ...resources: string[]): EncryptionRule => ({
    resources,
    providers: [provider('aesgcm', name)],
  });
  const by = transformer([
    only('all', '*.*'),
    only('core', '*.'),
    only('apps', '*.apps'),
    only('secrets', 'secrets', 'widgets.example.com'),
  ]);
  const nameOf = (collection: string): string | undefined =>
    seal(by, collection).toString('latin1').split(':')[4];
  expect(
    ['core/secrets', 'core/pods', 'apps/deployments', 'example.com/widgets', 'example.com/others'].map(
      nameOf,
    ),
  ).toEqual(['secrets', 'core', 'apps', 'secrets', 'all']);
  expect(nameOf('ranges/serviceips')).toBeUndefined();
  expect(nameOf('announced/apiservers')).toBeUndefined();
  const core = transformer([only('core', 'secrets')]);
  expect(seal(core, 'example.com/secrets')).toEqual(plain);
});

test('several rules of a resource are one, in their order', () => {
  const by = transformer([...rule(provider('aesgcm', 'a')), ...rule(provider('aescbc', 'b'))]);
  expect(seal(by).toString('latin1')).toContain(':a:');
  expect(open(by, seal(transformer(rule(provider('aescbc', 'b'))))).form?.isStale).toBe(true);
});
