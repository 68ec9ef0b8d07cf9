/** KMS v1: the data key in front of the value, which older releases wrote by AES-CBC, and later ones by AES-GCM. */
import { AesCbc, AesGcm } from '../../../../src/storage/encryption/ciphers.ts';
import { DataKeys } from '../../../../src/storage/encryption/data-keys.ts';
import type { KmsCall } from '../../../../src/storage/encryption/kms-api.ts';
import { KmsV1 } from '../../../../src/storage/encryption/kms-v1.ts';
import type { UnaryMethod } from '../../../../src/storage/etcd/etcd-messages.ts';

const context = Buffer.from('/registry/core/secrets/default/a');
const plain = Buffer.from('{"kind":"Secret"}');
const key = Buffer.alloc(32, 'data key');
/** A plugin whose encrypted keys are the keys. */
const call: KmsCall = <Q, S>(_method: UnaryMethod<Q, S>, request: Q) => {
  const { plain: given, cipher } = request as { readonly plain?: Buffer; readonly cipher?: Buffer };
  return Promise.resolve({ plain: cipher, cipher: given } as S);
};

const plugin = (): KmsV1 => new KmsV1(call, new DataKeys(100, () => undefined));
const stored = (text: Buffer): Buffer => Buffer.concat([Buffer.from([0, key.length]), key, text]);

test('what 1.21 and what later releases wrote is read', async () => {
  const values = [new AesCbc(key).encrypt(plain), new AesGcm(key).encrypt(plain, context)];
  for (const value of values) expect(await plugin().decrypt(stored(value), context)).toEqual(plain);
});

test('AES-CBC is written, as in this release', async () => {
  const kms = plugin();
  const value = await kms.encrypt(plain);
  const [own, text] = [value.subarray(2, 34), value.subarray(34)];
  expect(new AesCbc(own).decrypt(text)).toEqual(plain);
  expect(await kms.decrypt(value, context)).toEqual(plain);
});

test('a value that neither wrote is refused, and one by AES-GCM under another key in etcd', async () => {
  const moved = new AesGcm(key).encrypt(plain, Buffer.from('/registry/core/secrets/default/b'));
  for (const text of [moved, Buffer.alloc(48), Buffer.alloc(0)])
    await expect(async () => plugin().decrypt(stored(text), context)).rejects.toThrow();
});
