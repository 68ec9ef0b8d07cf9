/** Objects that no etcd takes are refused before they are copied. */
import { maxStoredBytes } from '../../../src/codec/limits.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { asJson, type ApiObject } from '../../../src/meta/object.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { storableBytes } from '../../../src/registry/write/storable.ts';

function configMap(characters: number): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { long: 'x'.repeat(characters) },
  };
}

test('an object below the bound has its stored text', () => {
  const object = configMap(maxStoredBytes - 1_000);
  expect(storableBytes(object).equals(encodeStored(asJson(object)))).toBe(true);
});

test('one beyond it is 413, as etcd would answer', () => {
  const error = (() => {
    try {
      return storableBytes(configMap(maxStoredBytes));
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(StatusError);
  expect((error as StatusError).status).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge' });
});
