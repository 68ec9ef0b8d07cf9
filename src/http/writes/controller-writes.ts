/** Writes of controllers, and of what the service maintains, in write threads, where the object is large. */
import type { JsonObject } from '../../base/json.ts';
import { resultInSlices } from '../../base/sliced-work.ts';
import type { ObjectWrite, WritesElsewhere } from '../../registry/writes-elsewhere.ts';
import { jsonMediaType } from '../../codec/decode-body.ts';
import { jsonInSteps } from '../../codec/json-in-steps.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import { weighsMore } from './decoded-weight.ts';
import { deletionsElsewhere } from './large-deletions.ts';
import type { LargeWrites } from './large-writes.ts';
import type { WriteAnswer, WriteRequest } from './write-request.ts';
import type { RequestScope } from '../../registry/types.ts';
import type { Entry } from '../../storage/types.ts';

const noBody = Buffer.alloc(0);

/** @param isOwn of objects that the service maintains: neither webhooks nor policies are asked */
export function controllerWrites(largeWrites: LargeWrites, isOwn = false): WritesElsewhere {
  return {
    write: (scope, name, write) => {
      const request = { ...requestOf(scope, name, write), isOwn };
      const object = objectOf(write);
      const isLarge =
        largeWrites.takes(request, scope) || (object !== undefined && weighsMore(object, smallBodyBytes));
      if (!isLarge) return undefined;
      return performed(request, object, (whole) => largeWrites.perform(whole, scope));
    },
    grown: (scope, name, write) => {
      const request = { ...requestOf(scope, name, write), isOwn };
      return performed(request, objectOf(write), (whole) => largeWrites.performGrown(whole, scope));
    },
    deletions: (deletion) => deletionsElsewhere(largeWrites, 'deletecollection', deletion),
  };
}

/** Without the body, which is made for large objects only. */
function requestOf(scope: RequestScope, name: string, write: ObjectWrite): WriteRequest {
  const { resource, namespace, subresource, user, dryRun, fieldManager } = scope;
  const target = { resource: resource.gvr, namespace, name, subresource };
  return {
    ...{ ...target, user, dryRun, fieldManager, body: noBody },
    ...sentAs[write.operation],
    ...(write.operation === 'delete' && { deletion: write.deletion }),
    operation: write.operation,
  };
}

/** As a client sends it. */
const sentAs: Record<ObjectWrite['operation'], Pick<WriteRequest, 'verb' | 'contentType'>> = {
  replace: { verb: 'update', contentType: jsonMediaType },
  patch: { verb: 'patch', contentType: 'application/merge-patch+json' },
  delete: { verb: 'delete', contentType: undefined },
};

function objectOf(write: ObjectWrite): JsonObject | undefined {
  return write.operation === 'delete' ? undefined : write.object;
}

async function performed(
  request: WriteRequest,
  object: JsonObject | undefined,
  perform: (whole: WriteRequest) => Promise<WriteAnswer>,
): Promise<Entry> {
  const body = object ? await resultInSlices(bodyInSteps(object)) : noBody;
  const answer = await perform({ ...request, body });
  if (answer.kind === 'value') throw new Error(`${request.operation} answered with a ${answer.kind}`);
  return answer.entry;
}

function* bodyInSteps(object: JsonObject): Generator<void, Buffer, void> {
  const pieces: Buffer[] = [];
  for (const piece of jsonInSteps(object)) {
    pieces.push(Buffer.from(piece));
    yield;
  }
  return Buffer.concat(pieces);
}
