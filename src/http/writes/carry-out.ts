/** From a routed request to the answer of its write: here, or beside the serving thread where it is large. */
import type { RequestScope } from '../../registry/types.ts';
import type { WriteOptions } from '../options/write-options.ts';
import type { ResourceRequest, VerbDeps } from '../verbs/request.ts';
import { writeScope } from '../verbs/request.ts';
import { performWrite, type WriteDeps } from './perform-write.ts';
import type { WriteAnswer, WriteOperation, WriteRequest } from './write-request.ts';

/** Carries out writes that would hold the serving thread for too long. */
export interface LargeWrites {
  /** Whether the body, or the object that is written, is large. */
  takes(write: WriteRequest, scope: RequestScope): boolean;
  /** @throws StatusError as the write does; 413 when it needs more memory or time than a write may */
  perform(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer>;
}

/** What a verb adds to what its request says anyway. */
export interface SentWrite extends Pick<WriteRequest, 'ignoresDuplicates' | 'force' | 'deletion'> {
  readonly operation: WriteOperation;
  readonly options: WriteOptions;
  readonly body: Buffer;
}

/** Who carries writes out. */
export interface CarryingOut extends WriteDeps {
  /** Absent: large writes are carried out by the serving thread, too. */
  readonly largeWrites?: LargeWrites | undefined;
}

/** @throws StatusError of the decoder (400, 415) and of the verb */
export function carryOut(request: ResourceRequest, deps: CarryingOut, sent: SentWrite): Promise<WriteAnswer> {
  const scope = writeScope(request, sent.options);
  const write = writeRequest(request, scope, sent);
  const { largeWrites } = deps;
  if (largeWrites?.takes(write, scope) === true) return largeWrites.perform(write, scope);
  return performWrite(write, scope, deps);
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

/** The answer of an operation that answers with an entry. */
export async function carryOutEntry(
  request: ResourceRequest,
  deps: VerbDeps,
  sent: SentWrite & { readonly operation: 'create' | 'replace' | 'patch' | 'apply' },
): Promise<Extract<WriteAnswer, { kind: 'entry' }>> {
  const answer = await carryOut(request, deps, sent);
  if (answer.kind !== 'entry') throw new Error(`${sent.operation} answered with a ${answer.kind}`);
  return answer;
}
