/** NamespaceExists: nothing is written or deleted in a namespace that does not exist. */
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import { ObjectNotFound } from '../meta/object-errors.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { find, seenBy, type ObjectReader } from './object-reader.ts';

const collection = 'core/namespaces';

export function createNamespaceExists(reader: ObjectReader): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    validate({ operation, scope }): MaybePromise<void> {
      const { namespace, signal } = scope;
      if (operation === 'CONNECT' || namespace === '') return;
      const seen = seenBy(reader, collection, namespace);
      return whenReady(seen, (found) => (found ? undefined : assertExists(namespace, signal)));
    },
  };

  async function assertExists(name: string, signal: AbortSignal): Promise<void> {
    if (await find(reader, collection, name, signal)) return;
    throw new ObjectNotFound({ resource: { group: '', resource: 'namespaces' }, namespace: '', name });
  }
}
