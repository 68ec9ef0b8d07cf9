/**
 * Objects and lists with `metadata.selfLink`, their paths in the version of the request, where feature gate `RemoveSelfLink` is off
 * (releases 1.21 to 1.23, KEP-1164). It is stored nowhere: entries get it in front of the form that writes them.
 */
import { metadataStart } from '../../codec/stored.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import type { Status } from '../../meta/status.ts';
import type { EntryList, ListResult, ServedResource, WatchItem } from '../../registry/types.ts';
import type { Entry, Revision } from '../../storage/types.ts';
import type { FormSpec, KeptPart, MakeElsewhere, Representation, SlicedBody } from './types.ts';

/** What links are made of. */
export interface LinkParts {
  readonly resource: Pick<ServedResource, 'gvr' | 'namespaced'>;
  /** '' if the path is that of the object. */
  readonly subresource: string;
  /** Of the request, which is the link of a list. */
  readonly path: string;
}

/** Entries with the links of one kind of paths; the same one for an entry, so that what is made of it can be kept. */
export class LinkedEntries {
  readonly #parts: Omit<LinkParts, 'path'>;
  readonly #known = new WeakMap<Entry, Entry>();
  readonly #linked = new WeakSet<Entry>();

  constructor(parts: Omit<LinkParts, 'path'>) {
    this.#parts = parts;
  }

  /** With a link, which an entry that has one gets only once. */
  of(entry: Entry): Entry {
    if (this.#linked.has(entry)) return entry;
    const known = this.#known.get(entry);
    if (known) return known;
    const { collection, key, modRevision, bytes } = entry;
    const linked: Entry = {
      ...{ collection, key, modRevision, memo: undefined },
      bytes: withSelfLink(bytes, this.#linkOf(key)),
    };
    this.#known.set(entry, linked);
    this.#linked.add(linked);
    return linked;
  }

  all(entries: EntryList): EntryList {
    const linked = (entry: Entry): Entry => this.of(entry);
    return {
      length: entries.length,
      *[Symbol.iterator]() {
        for (const entry of entries) yield linked(entry);
      },
    };
  }

  #linkOf(key: string): string {
    const { resource, subresource } = this.#parts;
    const { gvr, namespaced } = resource;
    const [namespace = '', name = ''] = namespaced ? key.split('/') : ['', key];
    const root = `${gvr.group === '' ? '/api' : '/apis'}/${apiVersionOf(gvr)}`;
    const place = namespaced ? `/namespaces/${namespace}` : '';
    const end = subresource === '' ? '' : `/${subresource}`;
    return `${root}${place}/${gvr.resource}/${pathSegment(name)}${end}`;
  }
}

/** The stored text with a link in its metadata; the rest is as it was. */
function withSelfLink(bytes: Buffer, link: string): Buffer {
  const at = metadataStart(bytes);
  const member = `"selfLink":${JSON.stringify(link)}${bytes[at] === closingBrace ? '' : ','}`;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(member), bytes.subarray(at)]);
}

const closingBrace = 0x7d;

/** RFC 3986, section 3.3: what a segment may have besides is not escaped. */
function pathSegment(name: string): string {
  return encodeURIComponent(name).replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent);
}

/** A form that writes links. What other threads make of large entries, they make of those with links. */
export class Linked implements Representation {
  readonly contentType: string;
  readonly watchType: string;
  readonly next: Representation | undefined;
  readonly spec: FormSpec | undefined;
  readonly kept: KeptPart | undefined;
  readonly #form: Representation;
  readonly #entries: LinkedEntries;
  readonly #path: string;

  constructor(form: Representation, entries: LinkedEntries, path: string) {
    this.#form = form;
    this.#entries = entries;
    this.#path = path;
    this.contentType = form.contentType;
    this.watchType = form.watchType;
    this.spec = form.spec;
    this.kept = form.kept && linkedPart(form.kept, entries);
    this.next = form.next && new Linked(form.next, entries, path);
  }

  source(entry: Entry): Entry {
    return this.#entries.of(entry);
  }

  object(entry: Entry, made?: Buffer): Buffer {
    return this.#form.object(this.source(entry), made);
  }

  list(result: ListResult, elsewhere?: MakeElsewhere): SlicedBody {
    const entries = this.#entries.all(result.entries);
    return this.#form.list({ ...result, entries, selfLink: this.#path }, elsewhere);
  }

  hasFrame(item: WatchItem): boolean {
    return this.#form.hasFrame?.(this.#itemOf(item)) === true;
  }

  frame(item: WatchItem, made?: Buffer): Buffer {
    return this.#form.frame(this.#itemOf(item), made);
  }

  bookmark(revision: Revision, initialEventsEnd: boolean): Buffer {
    return this.#form.bookmark(revision, initialEventsEnd);
  }

  error(status: Status): Buffer {
    return this.#form.error(status);
  }

  #itemOf({ type, event }: WatchItem): WatchItem {
    return { type, event: this.source(event) };
  }
}

function linkedPart(kept: KeptPart, entries: LinkedEntries): KeptPart {
  return {
    has: (entry) => kept.has(entries.of(entry)),
    make: (entry) => kept.make(entries.of(entry)),
  };
}
