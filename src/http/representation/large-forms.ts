/** Answers with large objects, whose form is made in another thread: it takes tens of milliseconds a megabyte. */
import { hasMoreMembers } from '../../codec/member-count.ts';
import type { GroupVersionResource } from '../../meta/gvk.ts';
import type { RequestScope } from '../../registry/types.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import { isDeep } from './indentation.ts';
import type { FormPart, FormSpec, MakeElsewhere, Representation } from './types.ts';

/** What is to be made of an entry. */
export interface FormOrder {
  readonly resource: GroupVersionResource;
  readonly spec: FormSpec;
  readonly part: FormPart;
}

/** Makes forms outside of the serving thread. */
export interface LargeForms {
  /** @throws StatusError 429 where too many wait, 413 if it takes more memory or time than a request may */
  make(order: FormOrder, entry: Entry, scope: Pick<RequestScope, 'user' | 'signal'>): Promise<Buffer>;
}

/** Entries of more bytes are large: to parse one and write it in another form takes over ten milliseconds. */
export const largeEntryBytes = 256 * 1024;

/** What makes the parts of large entries for a request; undefined if this thread makes all. */
export function elsewhereFor(
  largeForms: LargeForms | undefined,
  representation: Pick<Representation, 'spec' | 'source'>,
  scope: Pick<RequestScope, 'user' | 'signal' | 'resource'>,
): MakeElsewhere | undefined {
  const { spec } = representation;
  if (!largeForms || !spec) return undefined;
  const resource = scope.resource.gvr;
  const isCached = ['json', 'protobuf', 'cbor'].includes(spec.serializer);
  const isLarge = (entry: Entry): boolean => {
    if (sizeOf(entry) <= largeEntryBytes) return !isCached && isDeep(entry);
    return !isCached || hasManyMembers(entry);
  };
  return (entry, part) => {
    if (!isLarge(entry)) return undefined;
    const source = representation.source?.(entry) ?? entry;
    return once(source, JSON.stringify([resource, spec, part]), scope.signal, () =>
      largeForms.make({ resource, spec, part }, source, scope),
    );
  };
}

/** Fewer members take a few milliseconds, once: what is made of them here is cached. */
const manyMembers = 5_000;
const many = new WeakMap<Entry, boolean>();

/** Whether an entry takes long to parse. */
export function hasManyMembers(entry: Entry): boolean {
  const known = many.get(entry);
  if (known !== undefined) return known;
  const isMany = hasMoreMembers(entry.bytes, manyMembers);
  many.set(entry, isMany);
  return isMany;
}

/** What is being made, by entry and form. */
const making = new WeakMap<Entry, Map<string, Promise<Buffer>>>();

/** Requests that want the same at once wait for one and the same; if the one that asked for it ends, the next one asks. */
async function once(
  entry: Entry,
  form: string,
  signal: AbortSignal,
  make: () => Promise<Buffer>,
): Promise<Buffer> {
  let forms = making.get(entry);
  if (!forms) making.set(entry, (forms = new Map<string, Promise<Buffer>>()));
  for (let other = forms.get(form); other; other = forms.get(form)) {
    const bytes = await other.catch(() => undefined);
    if (bytes) return bytes;
    signal.throwIfAborted();
  }
  const own = make();
  forms.set(form, own);
  try {
    return await own;
  } finally {
    forms.delete(form);
  }
}
