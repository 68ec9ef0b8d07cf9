/** Takes bodies the way of a write in this process: decoded, judged, owned and encoded as a dry run does, without a server. */
import { createAdmissionChain } from '../../../src/admission/admission-chain.ts';
import { createCertificateSubjectRestriction } from '../../../src/admission/certificates.ts';
import { createAlwaysPullImages } from '../../../src/admission/always-pull-images.ts';
import { createDefaultTolerationSeconds } from '../../../src/admission/default-toleration-seconds.ts';
import { createLimitRanger } from '../../../src/admission/limit-ranger.ts';
import { createPriorityPlugin } from '../../../src/admission/priority.ts';
import { createRuntimeClassPlugin } from '../../../src/admission/runtime-class.ts';
import { createStorageObjectInUseProtection } from '../../../src/admission/storage-object-in-use-protection.ts';
import { createTaintNodesByCondition } from '../../../src/admission/taint-nodes-by-condition.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { decodeBody } from '../../../src/codec/decode-body.ts';
import { decodeJson } from '../../../src/codec/decode-json.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import { applyMergePatch } from '../../../src/patch/merge-patch.ts';
import { PatchError } from '../../../src/patch/patch-error.ts';
import { applyStrategicMergePatch } from '../../../src/patch/strategic-merge-patch.ts';
import { entryObject } from '../../../src/registry/written-entry.ts';
import { createRegistry } from '../../../src/registry/registry.ts';
import type { Reviewer } from '../../../src/registry/reviews/reviewer.ts';
import type { RequestScope, ResourceVerbs, ServedResource } from '../../../src/registry/types.ts';
import { readerOf } from '../admission.ts';
import { realCatalogue } from '../catalogue.ts';
import { dryRunStorage } from './memory-storage.ts';

export const naming = namingProfiles.orch;
export const { catalogue } = realCatalogue(naming);
const gates = createFeatureGates();

export type WriteKind = 'create' | 'update' | 'merge patch' | 'strategic patch' | 'apply';

/** What became of a write. */
export interface Outcome {
  /** 0: it would have been stored. */
  readonly code: number;
  readonly message: string;
  readonly causes: number;
  /** Bytes of the stored object, or of the Status. */
  readonly size: number;
}

export interface DryWrite {
  readonly resource: ServedResource;
  readonly name: string;
  readonly body: Buffer;
  /** '' : the object itself. */
  readonly subresource?: string;
}

/** Dry runs against a few stored objects, by `collection/key`. */
export class DryWriter {
  private readonly verbs: ResourceVerbs;

  constructor(
    stored: ReadonlyMap<string, Buffer> = new Map(),
    beside: Readonly<Record<string, object>> = {},
  ) {
    const reader = readerOf(beside);
    this.verbs = createRegistry({
      storage: dryRunStorage(stored),
      catalogue,
      admission: createAdmissionChain([
        createLimitRanger(reader, naming),
        createTaintNodesByCondition(naming),
        createAlwaysPullImages(),
        createPriorityPlugin(reader, naming),
        createDefaultTolerationSeconds(naming),
        createStorageObjectInUseProtection(naming),
        createRuntimeClassPlugin(reader, naming),
        createCertificateSubjectRestriction(naming),
      ]),
      isFeatureEnabled: (gate) => gates.isEnabled(gate),
      collectsGarbage: true,
      ...systemEnvironment,
      reviewer: deniesAll,
    });
  }

  /** Never throws a StatusError: it is the outcome. */
  async write(kind: WriteKind, write: DryWrite): Promise<Outcome> {
    try {
      return { code: 0, message: '', causes: 0, size: await this.sent(kind, write) };
    } catch (error) {
      const refusal = statusOf(error);
      const { code, message = '', details } = refusal.status;
      const size = JSON.stringify(refusal.status).length;
      return { code, message, causes: details?.causes?.length ?? 0, size };
    }
  }

  private async sent(kind: WriteKind, write: DryWrite): Promise<number> {
    const { resource, name, body } = write;
    const scope = scopeOf(write);
    if (resource.definition.virtual === true) {
      const answer = await this.verbs.act(scope, name, 'create', objectIn(body));
      return JSON.stringify(answer).length;
    }
    const { entry } = await this.stored(kind, write);
    // What a list shows of it.
    const shown = entryObject(entry);
    for (const { cell } of resource.definition.columns) cell(shown, naming);
    return entry.bytes.length;
  }

  private stored(kind: WriteKind, write: DryWrite): ReturnType<ResourceVerbs['create']> {
    const { resource, name, body } = write;
    const scope = scopeOf(write);
    switch (kind) {
      case 'create':
        return this.verbs.create(scope, '', objectIn(body));
      case 'update':
        return this.verbs.replace(scope, name, objectIn(body));
      case 'merge patch': {
        const patch = patchIn(body);
        return this.verbs.patch(scope, name, (current) => applyMergePatch(current, patch));
      }
      case 'strategic patch': {
        const patch = patchIn(body);
        return this.verbs.patch(scope, name, (current) =>
          applyStrategicMergePatch(current, patch, resource.schema),
        );
      }
      case 'apply':
        return this.verbs.apply(scope, name, objectIn(body), { force: true });
    }
  }
}

const nothing = { resourceRules: [], nonResourceRules: [], incomplete: false, error: '' };

const deniesAll: Reviewer = {
  identify: () => Promise.resolve({ user: undefined, audiences: [], error: '' }),
  decide: () => Promise.resolve({ allowed: false, denied: false, reason: '', error: '' }),
  rulesOf: () => Promise.resolve(nothing),
};

function statusOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof PatchError) return new StatusError(422, 'Invalid', error.message);
  throw error;
}

function objectIn(body: Buffer): JsonObject {
  const onDuplicates = (): void => undefined;
  return decodeBody({ contentType: undefined, bytes: body, naming, onDuplicates });
}

function patchIn(body: Buffer): JsonValue {
  return decodeJson(body, { detectDuplicates: true }).value;
}

function scopeOf({ resource, subresource = '' }: DryWrite): RequestScope {
  return {
    resource,
    namespace: resource.namespaced ? 'default' : '',
    subresource,
    user: { name: 'ann', uid: '', groups: ['dev'], extra: {} },
    dryRun: true,
    fieldManager: 'test',
    fieldValidation: { directive: 'Warn', errors: [] },
    signal: AbortSignal.timeout(120_000),
    assertMayCreate: () => Promise.resolve(),
    warn: () => undefined,
  };
}
