/**
 * What the controller writes of definitions. To change one of 3 MB takes the thread 100 ms at a time, so large ones are
 * changed beside it, as those that clients write are.
 *
 *   small ─────────────────────────────────────────▶ changed here
 *   large ─▶ beside the serving thread ── no room ──▶ changed here
 */
import { cleanupFinalizer } from '../../api/apiextensions/definition-conditions.ts';
import type { CustomResourceDefinition } from '../../api/apiextensions/custom-resource-definitions.ts';
import type { CustomResourceDefinitionStatus as Status } from '../../api/apiextensions/v1.types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepCopy } from '../../base/json.ts';
import { asApiObject } from '../../meta/object.ts';
import { StatusError } from '../../meta/status.ts';
import type { RequestScope, ResourceVerbs, ServedResource } from '../../registry/types.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import { definitionOf, nameOf } from './definition.ts';

/**
 * Changes an object beside the thread that serves.
 * @param operations a JSON patch
 * @throws StatusError of the write, or where it cannot be done there
 */
export type PatchElsewhere = (
  scope: RequestScope,
  name: string,
  operations: readonly JsonObject[],
) => Promise<unknown>;

export interface DefinitionWritesParts {
  readonly verbs: Pick<ResourceVerbs, 'patch'>;
  /** Absent: all are changed here. */
  readonly patchElsewhere?: PatchElsewhere | undefined;
  /** The resource of definitions. */
  readonly definitions: ServedResource;
  readonly scopeOf: (resource: ServedResource, subresource?: string) => RequestScope;
}

/** Bytes of a stored definition that is changed here: each step takes 10 ms at most. */
const mostHere = 256 * 1024;

export class DefinitionWrites {
  readonly #parts: DefinitionWritesParts;

  constructor(parts: DefinitionWritesParts) {
    this.#parts = parts;
  }

  /**
   * @param statusOf the status of a definition, of which the schemas may be missing
   * @throws StatusError also where a large one has changed meanwhile
   */
  async setStatus(entry: Entry, statusOf: (definition: CustomResourceDefinition) => Status): Promise<void> {
    const { definitions, scopeOf, verbs } = this.#parts;
    const definition = definitionOf(entry);
    const scope = scopeOf(definitions, 'status');
    if (await this.#isDoneElsewhere(entry, scope, { '/status': plain(statusOf(definition)) })) return;
    await verbs.patch(scope, nameOf(definition), (current): JsonObject => {
      const stored = definitions.conversion.toInternal(deepCopy(current));
      return { ...current, status: plain(statusOf(asApiObject(stored))) };
    });
  }

  /** Removes the finalizer, unless the definition was replaced. @throws StatusError as above */
  async release(entry: Entry): Promise<void> {
    const { definitions, scopeOf, verbs } = this.#parts;
    const finalizer = cleanupFinalizer(definitions.naming);
    const { metadata: known } = definitionOf(entry);
    const without = (held: readonly string[] | null | undefined): string[] =>
      (held ?? []).filter((one) => one !== finalizer);
    const scope = scopeOf(definitions);
    const members = { '/metadata/finalizers': without(known.finalizers) };
    if (await this.#isDoneElsewhere(entry, scope, members)) return;
    await verbs.patch(scope, known.name ?? '', (current): JsonObject => {
      const { metadata } = asApiObject(current);
      if (metadata.uid !== known.uid) return current;
      const finalizers = without(metadata.finalizers);
      return { ...current, metadata: { ...(current['metadata'] as JsonObject), finalizers } };
    });
  }

  /** @param members values by their places */
  async #isDoneElsewhere(
    entry: Entry,
    scope: RequestScope,
    members: Readonly<Record<string, JsonValue>>,
  ): Promise<boolean> {
    const { patchElsewhere } = this.#parts;
    if (!patchElsewhere || sizeOf(entry) <= mostHere) return false;
    const values = { '/metadata/resourceVersion': String(entry.modRevision), ...members };
    const operations = Object.entries(values).map(([path, value]) => ({ op: 'add', path, value }));
    try {
      await patchElsewhere(scope, nameOf(definitionOf(entry)), operations);
      return true;
    } catch (error) {
      if (isAboutTheObject(error) || scope.signal.aborted) throw error;
      return false;
    }
  }
}

/** It is gone, or has changed: no other way would do. */
function isAboutTheObject(error: unknown): boolean {
  return error instanceof StatusError && (error.code === 404 || error.code === 409);
}

function plain(status: Status): JsonObject {
  return JSON.parse(JSON.stringify(status)) as JsonObject;
}
