/** Creates with `generateName`: retries with another name after a collision (KEP-4420). */
import { StatusError } from '../../meta/status.ts';
import type { GroupResource } from '../../meta/gvk.ts';
import type { WriteResult } from '../types.ts';
import type { Outcome } from './contention.ts';
import type { CreateDraft, Write } from './write.ts';

/** Maximum attempts before the client gets an error, where feature gate `RetryGenerateName` is on. */
const maxAttempts = 8;

/**
 * Completes the draft of a create; retries with another generated name while it is taken.
 * @throws StatusError 409
 */
export async function untilNameIsFree(
  { scope, deps }: Write,
  draft: CreateDraft,
  complete: (candidate: CreateDraft) => Promise<Outcome<WriteResult>>,
): Promise<Outcome<WriteResult>> {
  if (draft.object.metadata.name) return complete(draft);
  const attempts = deps.isFeatureEnabled('RetryGenerateName') ? maxAttempts : 1;
  for (let attempt = 1; ; attempt++) {
    const outcome = await complete(unnamed(draft));
    if (outcome.kind !== 'lost') return outcome;
    if (attempt >= attempts) throw noNameFound(scope.resource.gvr, outcome.name ?? '');
  }
}

/** A copy without a name, for the next attempt. */
function unnamed(draft: CreateDraft): CreateDraft {
  return { ...draft, object: { ...draft.object, metadata: { ...draft.object.metadata } } };
}

function noNameFound({ group, resource }: GroupResource, name: string): StatusError {
  const text = `${resource} ${JSON.stringify(name)} already exists: no free name was found for generateName; try again`;
  const details = { name, ...(group !== '' && { group }), kind: resource, retryAfterSeconds: 1 };
  return new StatusError(409, 'AlreadyExists', text, { details });
}
