/** Writes as admission sees them, and the objects that plugins find beside them, for tests of single plugins. */
import type { AdmissionPlugin, ReinvocationContext } from '../../src/admission/admission-chain.ts';
import type { ObjectReader } from '../../src/admission/object-reader.ts';
import { deepCopy } from '../../src/base/json.ts';
import { namingProfiles } from '../../src/meta/naming.ts';
import { asApiObject, asJson, type ApiObject } from '../../src/meta/object.ts';
import { StatusError } from '../../src/meta/status.ts';
import type { UserInfo } from '../../src/meta/user.ts';
import { newestRelease } from '../../src/observe/release.ts';
import type { AdmissionAttributes, ResourceCatalogue, ServedResource } from '../../src/registry/types.ts';
import { realCatalogue } from './catalogue.ts';
import { deepFrozen } from './deep-frozen.ts';

export const naming = namingProfiles.orch;
const { catalogue } = realCatalogue(naming);
/** For kinds that came later; made once a test needs it. */
let late: ResourceCatalogue | undefined;
const newest = (): ResourceCatalogue => (late ??= realCatalogue(naming, newestRelease).catalogue);

/** Parts of a write that differ from a CREATE of `name` in the namespace `web` by a user of no group. */
export interface Write {
  readonly operation?: AdmissionAttributes['operation'];
  /** `pods`, `pods/status`, `storage.orch.io/v1/csinodes` */
  readonly resource: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly user?: Partial<UserInfo>;
  readonly object?: object;
  readonly oldObject?: object;
  readonly dryRun?: boolean;
  /** Of the objects, if it is not that of the resource. */
  readonly kind?: AdmissionAttributes['kind'];
}

export function attributesOf(write: Write): AdmissionAttributes {
  const { operation = 'CREATE', name = 'it', user, dryRun = false } = write;
  const [resource, subresource] = resourceOf(write.resource);
  const namespace = resource.namespaced ? (write.namespace ?? 'web') : '';
  return {
    ...{ operation, name },
    ...(write.kind && { kind: write.kind }),
    scope: {
      ...{ resource, namespace, subresource, dryRun, fieldManager: 'test' },
      user: { name: 'somebody', uid: '', groups: [], extra: {}, ...user },
      signal: AbortSignal.timeout(60_000),
      assertMayCreate: () => Promise.resolve(),
      warn: () => undefined,
    },
    object: write.object && objectOf(resource, { name, namespace }, write.object),
    oldObject: write.oldObject && objectOf(resource, { name, namespace }, write.oldObject),
  };
}

function resourceOf(text: string): [ServedResource, string] {
  const isCore = !/^[^/]+\/v\d/.test(text);
  const parts = text.split('/');
  const [group = '', version = '', plural = '', subresource = ''] = isCore ? ['', 'v1', ...parts] : parts;
  const resource = catalogue.resource(group, version, plural) ?? newest().resource(group, version, plural);
  if (!resource) throw new Error(`there is no ${text}`);
  return [resource, subresource];
}

function objectOf(
  { gvk }: ServedResource,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  sent: object,
): ApiObject {
  const object = deepCopy(asJson(sent as ApiObject));
  const apiVersion = gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}`;
  const metadata = { name, ...(namespace !== '' && { namespace }), ...(object['metadata'] as object) };
  return asApiObject({ apiVersion, kind: gvk.kind, ...object, metadata });
}

/** Objects by `collection/key`, as a view that is up to date has them. They are shared, so that nobody may change them. */
export function readerOf(objects: Readonly<Record<string, object>> = {}): ObjectReader {
  const copies = new Map(Object.entries(objects));
  const peek = (collection: string, key: string): ApiObject | undefined => {
    const found = copies.get(`${collection}/${key}`);
    return found && deepFrozen(asApiObject(deepCopy(asJson(found as ApiObject))));
  };
  return {
    peek,
    read: (collection, key) => Promise.resolve(peek(collection, key)),
    list: (collection, prefix) =>
      [...copies.keys()]
        .filter((key) => key.startsWith(`${collection}/${prefix}`))
        .flatMap((key) => peek(collection, key.slice(collection.length + 1)) ?? []),
  };
}

const round: ReinvocationContext = { isReinvocation: false, requestReinvocation: () => undefined };

/** Both phases of one plugin: '' where it lets the write pass, else the code and what it says is wrong. */
export async function outcomeOf(plugin: AdmissionPlugin, attributes: AdmissionAttributes): Promise<string> {
  try {
    await plugin.admit?.(attributes, round);
    await plugin.validate?.(attributes);
    return '';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${String(error.code)} ${error.message.replace(/^.* is forbidden: /, '')}`;
  }
}
