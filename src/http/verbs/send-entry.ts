/** Answers with one object. */
import { isDeep } from '../representation/indentation.ts';
import { elsewhereFor } from '../representation/large-forms.ts';
import type { Representation } from '../representation/types.ts';
import { sendBytes } from '../respond.ts';
import { sendSliced, slicedBytes } from '../sliced-stream.ts';
import { sizeOf } from '../../storage/size.ts';
import { turnFor } from '../../base/cooperate.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Entry } from '../../storage/types.ts';
import type { ResourceRequest, VerbDeps } from './verb-request.ts';
import { readScope } from './verb-request.ts';

/** Answers of this size are streamed and compressed like lists. */
const streamedBytes = 128 * 1024;
/** Forms of smaller entries take some milliseconds at most. */
const smallBytes = 64 * 1024;

export interface EntryAnswer {
  readonly code: number;
  readonly representation: Representation;
  readonly entry: Entry;
}

/** Sends an object in the negotiated form; that of a large one is made in another thread. @throws StatusError 429, 413 */
export async function sendEntry(
  request: ResourceRequest,
  deps: Pick<VerbDeps, 'largeForms'>,
  answer: EntryAnswer,
): Promise<void> {
  const making = formOf(request, deps, answer);
  return send(request, answer, making instanceof Promise ? await making : making);
}

/** As `sendEntry` after a write, which took effect: its answer is no error because a thread is busy or gave up. */
export async function sendWritten(
  request: ResourceRequest,
  deps: Pick<VerbDeps, 'largeForms'>,
  answer: EntryAnswer,
): Promise<void> {
  const turn = turnOf(request);
  if (turn) await turn;
  const making = formOf(request, deps, answer, true);
  if (!(making instanceof Promise)) return send(request, answer, making);
  const { signal } = request.context;
  const body = await making.catch((error: unknown) => {
    if (signal.aborted) throw error;
    return formHere(answer.representation, answer.entry);
  });
  return send(request, answer, body);
}

async function send(
  { context }: ResourceRequest,
  { code, representation }: EntryAnswer,
  body: Buffer,
): Promise<void> {
  const { contentType } = representation;
  if (body.length <= streamedBytes) sendBytes(context, code, contentType, body);
  else await sendSliced(context, code, contentType, slicedBytes(body));
}

function formOf(
  request: ResourceRequest,
  { largeForms }: Pick<VerbDeps, 'largeForms'>,
  { representation, entry }: Omit<EntryAnswer, 'code'>,
  isItsTurn = false,
): MaybePromise<Buffer> {
  const { kept, spec } = representation;
  const mayGrow = kept === undefined && spec !== undefined;
  if (sizeOf(entry) <= smallBytes && !(mayGrow && isDeep(entry))) {
    const isQuick = kept?.has(entry) ?? spec === undefined;
    const turn = isItsTurn || isQuick ? undefined : turnOf(request);
    return whenReady(turn, () => representation.object(entry));
  }
  const elsewhere = kept?.has(entry)
    ? undefined
    : elsewhereFor(largeForms, representation, readScope(request));
  const making = elsewhere?.(entry, kept ? 'kept' : 'object');
  if (!making) return formHere(representation, entry);
  return kept ? making.then((made) => representation.object(entry, made)) : making;
}

/** Hundreds of requests may have what they waited for in one turn: entries that share a read of etcd, or writes that it was slow with. */
function turnOf({ context }: ResourceRequest): MaybePromise<void> {
  return context.phase.turns.begin(context.user.name);
}

async function formHere(representation: Representation, entry: Entry): Promise<Buffer> {
  await turnFor(sizeOf(entry));
  return representation.object(entry);
}
