/** NamespaceExists: nothing is written or deleted in a namespace that does not exist. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import { ObjectNotFound } from '../meta/object-errors.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { find, type ObjectReader } from './object-reader.ts';

const collection = 'core/namespaces';

export function createNamespaceExists(reader: ObjectReader): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    validate({ operation, scope }): MaybePromise<void> {
      const { namespace, signal } = scope;
      if (operation === 'CONNECT' || namespace === '' || reader.peek(collection, namespace)) return;
      return assertExists(namespace, signal);
    },
  };

  async function assertExists(name: string, signal: AbortSignal): Promise<void> {
    if (await find(reader, collection, name, signal)) return;
    throw new ObjectNotFound({ resource: { group: '', resource: 'namespaces' }, namespace: '', name });
  }
}
