/** A registry with ownership tracked, a namespace per test, and requests by named managers. */
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import type { ManagedFieldsEntry } from '../../../src/meta/object.ts';
import type { Release } from '../../../src/observe/release.ts';
import { decodeEntry, entryObject } from '../../../src/registry/written-entry.ts';
import type { RequestScope, ResourceVerbs, WriteResult } from '../../../src/registry/types.ts';
import { catalogue, scope, startRegistry, verbsOver, type TestRegistry } from '../../support/registry.ts';

export interface By {
  readonly group?: string;
  readonly version?: string;
  readonly subresource?: string;
  readonly dryRun?: boolean;
}

export const calm = { force: false };
export const forced = { force: true };

/** Call in a test file; its hooks start and stop everything. */
export class ApplyRoom {
  private registry: TestRegistry | undefined;
  private namespace = '';
  private count = 0;

  constructor() {
    beforeAll(async () => {
      this.registry = await startRegistry();
    });
    afterAll(() => this.registry?.close());
    beforeEach(async () => {
      this.namespace = `apply-${String(++this.count)}`;
      await this.verbs.create(scope('namespaces'), '', { metadata: { name: this.namespace } });
    });
  }

  get verbs(): ResourceVerbs {
    return this.verbsWith(true);
  }

  verbsWith(gate: boolean, release?: Release): ResourceVerbs {
    if (!this.registry) throw new Error('the registry is not running');
    return verbsOver(this.registry.storage, () => gate, release && { release });
  }

  /** Entries of managed fields name subresources. */
  get laterVerbs(): ResourceVerbs {
    return this.verbsWith(true, { major: 1, minor: 22 });
  }

  /** The scope of a request by a manager. */
  by(fieldManager: string, plural: string, { version, ...options }: By = {}): RequestScope {
    const found = scope(plural, { namespace: this.namespace, ...options });
    const resource =
      version === undefined ? found.resource : catalogue.resource(options.group ?? '', version, plural);
    if (!resource) throw new Error(`no ${plural} in ${version ?? 'v1'}`);
    return Object.assign(found, { resource, fieldManager });
  }

  applyMap(manager: string, data: JsonObject, options = calm): Promise<WriteResult> {
    return this.verbs.apply(this.by(manager, 'configmaps'), 'm', map(data), options);
  }
}

export function map(data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', ...metadata }, data };
}

export function entries(result: WriteResult): ManagedFieldsEntry[] {
  return entryObject(result.entry).metadata.managedFields ?? [];
}

export function owned(result: WriteResult, manager: string, operation = 'Apply'): JsonValue | undefined {
  return entries(result).find((e) => e.manager === manager && e.operation === operation)?.fieldsV1;
}

export function specOf(result: WriteResult): JsonObject {
  return decodeEntry(result.entry)['spec'] as JsonObject;
}
