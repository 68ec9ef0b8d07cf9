/** Runs the write of a routed request: in the serving thread, or in a write thread if it is large. */
import { GrownWrite } from '../../meta/grown-write.ts';
import type { RequestScope } from '../../registry/types.ts';
import type { WriteOptions } from '../options/write-options.ts';
import type { ResourceRequest, VerbDeps } from '../verbs/verb-request.ts';
import { writeScope } from '../verbs/verb-request.ts';
import { performWrite, type WriteDeps, type WriteScope } from './perform-write.ts';
import type { LargeWrites } from './large-writes.ts';
import type { WriteAnswer, WriteOperation, WriteRequest } from './write-request.ts';

/** What a verb adds to its request. */
export interface SentWrite extends Pick<WriteRequest, 'ignoresDuplicates' | 'force' | 'deletion'> {
  readonly operation: WriteOperation;
  readonly options: WriteOptions;
  readonly body: Buffer;
}

/** Services that run writes. */
export interface WriteServices extends WriteDeps {
  /** Runs large writes in another thread; without it the serving thread does. */
  readonly largeWrites?: LargeWrites | undefined;
}

/** @throws StatusError of the decoder (400, 415) and of the verb */
export function dispatchWrite(
  request: ResourceRequest,
  deps: WriteServices,
  sent: SentWrite,
): Promise<WriteAnswer> {
  const { largeWrites } = deps;
  const scope = writeScope(request, sent.options, largeWrites && 'moves');
  const write = writeRequest(request, scope, sent);
  if (!largeWrites) return performWrite(write, scope, deps);
  if (largeWrites.takes(write, scope)) return largeWrites.perform(write, scope);
  return performSmall(write, scope, { ...deps, largeWrites });
}

/** Admission precedes storage, so a write that grows there can be restarted in a write thread. */
async function performSmall(
  write: WriteRequest,
  scope: WriteScope,
  deps: WriteDeps & { readonly largeWrites: LargeWrites },
): Promise<WriteAnswer> {
  try {
    return await performWrite(write, scope, deps);
  } catch (error) {
    if (!(error instanceof GrownWrite)) throw error;
    return deps.largeWrites.performGrown(write, scope);
  }
}

function writeRequest(
  { context, resource, name }: ResourceRequest,
  { namespace, subresource, user, dryRun, fieldManager }: RequestScope,
  { options, ...sent }: SentWrite,
): WriteRequest {
  return {
    ...sent,
    resource: resource.gvr,
    verb: context.info.verb,
    ...{ namespace, name, subresource, user, dryRun, fieldManager },
    directive: options.fieldValidation?.directive,
    contentType: context.req.headers['content-type'],
  };
}

/** The result of an operation that returns an entry. */
export async function dispatchEntryWrite(
  request: ResourceRequest,
  deps: VerbDeps,
  sent: SentWrite & { readonly operation: 'create' | 'replace' | 'patch' | 'apply' },
): Promise<Extract<WriteAnswer, { kind: 'entry' }>> {
  const answer = await dispatchWrite(request, deps, sent);
  if (answer.kind !== 'entry') throw new Error(`${sent.operation} answered with a ${answer.kind}`);
  return answer;
}
