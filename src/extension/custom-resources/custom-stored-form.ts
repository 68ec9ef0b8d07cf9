/**
 * Converts between stored custom resources and a version. Objects are stored in the storage version at the time of
 * their write. On read they are defaulted by the schema of their version, converted, and pruned by the schema of the
 * requested version.
 */
import type { JsonObject } from '../../base/json.ts';
import { textOf } from '../../base/json.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import { isSmall } from '../../base/is-small.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { resultOf } from '../../base/sliced-work.ts';
import { decodeStored, decodeStoredInSlices, encodeStored } from '../../codec/stored.ts';
import { encodeStoredInSteps } from '../../codec/stored-in-steps.ts';
import { apiVersionOf, parseApiVersion } from '../../meta/gvk.ts';
import { newEntry } from '../../registry/written-entry.ts';
import type { StoredConversion } from '../../registry/conversion/object-conversion.ts';
import type { Entry } from '../../storage/types.ts';
import { prepared, type CustomVersion } from './custom-version.ts';
import { ShownEntries } from './shown-entries.ts';
import type { EntryCache } from '../../registry/entry-cache.ts';
import type { WebhookConversion } from './webhook-conversion.ts';

/** Longer texts take milliseconds to parse. */
const smallBytes = 64 * 1024;
/** Members and items of an object that is pruned and written in about a millisecond. */
const smallMembers = 2_000;
/** Entries that have become so large are shown before the next ones are converted. */
const largeBatch = 2 * 1024 * 1024;

export interface StoredFormParts {
  readonly group: string;
  readonly versions: readonly CustomVersion[];
  /** The current storage version. */
  readonly stored: CustomVersion;
  /** The requested version. */
  readonly version: CustomVersion;
  /** Absent if conversion only changes apiVersion (strategy None). */
  readonly webhook: WebhookConversion | undefined;
  /** Cache of converted objects. */
  readonly kept: EntryCache;
  /** Stored objects need no conversion for this version. */
  readonly isPlain: boolean;
}

export class StoredForm implements StoredConversion {
  private readonly parts: StoredFormParts;
  private readonly entries: ShownEntries;

  constructor(parts: StoredFormParts) {
    this.parts = parts;
    this.entries = new ShownEntries(parts.kept, (entries, signal) => this.convertEntries(entries, signal));
  }

  known(entry: Entry): Entry | undefined {
    return this.parts.isPlain ? entry : this.entries.known(entry);
  }

  async decode(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]> {
    return this.parts.isPlain ? entries : this.entries.shown(entries, signal);
  }

  async decodeFirst(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]> {
    return this.parts.isPlain ? entries : this.entries.firstShown(entries, signal);
  }

  async encode(bytes: Buffer, signal: AbortSignal): Promise<Buffer> {
    const { stored, version } = this.parts;
    if (stored === version) return bytes;
    signal.throwIfAborted();
    await prepared([stored]);
    return encodeStored(await this.inVersion(decodeStored(bytes), stored, signal));
  }

  /** As `ObjectConversion.internalFrom`. */
  internalFrom(object: JsonObject, signal: AbortSignal): MaybePromise<JsonObject> {
    return this.inVersion(object, this.parts.version, signal);
  }

  private inVersion(
    object: JsonObject,
    target: CustomVersion,
    signal: AbortSignal,
  ): MaybePromise<JsonObject> {
    const apiVersion = this.apiVersionOf(target);
    if (object['apiVersion'] === apiVersion) return object;
    const { webhook } = this.parts;
    if (!webhook) return target.shown(renamed(object, apiVersion));
    return webhook
      .convert([object], apiVersion, signal)
      .then(([converted = object]) => target.shown(converted));
  }

  private async convertEntries(entries: readonly Entry[], signal: AbortSignal): Promise<readonly Entry[]> {
    const { version, stored, webhook } = this.parts;
    await prepared([version, stored]);
    return webhook ? this.byWebhook(entries, webhook, signal) : this.renamedEntries(entries);
  }

  /** One after the other, until they are large. */
  private async renamedEntries(entries: readonly Entry[]): Promise<readonly Entry[]> {
    const apiVersion = this.apiVersionOf(this.parts.version);
    const shown: Entry[] = [];
    let bytes = 0;
    for (const entry of entries) {
      if (bytes >= largeBatch) break;
      const object = await this.defaulted(entry);
      await breathe();
      const made = await this.shownAs(entry, renamed(object, apiVersion));
      bytes += made.bytes.length;
      shown.push(made);
    }
    return shown;
  }

  /** All in one call. */
  private async byWebhook(
    entries: readonly Entry[],
    webhook: WebhookConversion,
    signal: AbortSignal,
  ): Promise<readonly Entry[]> {
    const objects: JsonObject[] = [];
    for (const entry of entries) objects.push(await this.defaulted(entry));
    const converted = await this.converted(objects, webhook, signal);
    const shown: Entry[] = [];
    for (const [i, entry] of entries.entries()) {
      await breathe();
      shown.push(await this.shownAs(entry, converted[i] ?? {}));
    }
    return shown;
  }

  private async defaulted({ bytes }: Entry): Promise<JsonObject> {
    await breathe();
    const object =
      bytes.length > smallBytes ? await decodeStoredInSlices(bytes, breathe) : decodeStored(bytes);
    await breathe();
    await resultOf(this.defaultsInSteps(object), breathe);
    return object;
  }

  /** Current defaults: those of its own version with webhook conversion, otherwise those of the storage version. */
  private defaultsInSteps(object: JsonObject): Generator<void, boolean, void> {
    const own = parseApiVersion(textOf(object['apiVersion']))?.version;
    const { versions, stored, webhook } = this.parts;
    const version = webhook ? versions.find(({ name }) => name === own) : undefined;
    return (version ?? stored).defaultsInSteps(object);
  }

  /** Objects that already have the version are not sent to the webhook. */
  private async converted(
    objects: readonly JsonObject[],
    webhook: WebhookConversion,
    signal: AbortSignal,
  ): Promise<readonly JsonObject[]> {
    const apiVersion = this.apiVersionOf(this.parts.version);
    const others = objects.filter((object) => object['apiVersion'] !== apiVersion);
    if (others.length === 0) return objects;
    const made = (await webhook.convert(others, apiVersion, signal)).values();
    return objects.map((object) =>
      object['apiVersion'] === apiVersion ? object : (made.next().value ?? object),
    );
  }

  private async shownAs(entry: Entry, converted: JsonObject): Promise<Entry> {
    const { version } = this.parts;
    const isSmallOne = isSmall(converted, smallMembers);
    const object = isSmallOne
      ? version.shown(converted)
      : await resultOf(version.shownInSteps(converted), breathe);
    await breathe();
    const bytes = await encoded(object);
    if (bytes.equals(entry.bytes)) return entry;
    const { collection, key, modRevision } = entry;
    const shown = newEntry(collection, key, bytes, modRevision);
    const isOld = !(await this.isStoredAs(entry, object));
    return {
      ...shown,
      // Read each time: the configuration of encryption may change.
      get isRecoded(): boolean {
        return isOld || entry.isRecoded === true;
      },
    };
  }

  /** Whether a write without changes would store identical bytes. */
  private async isStoredAs({ bytes }: Entry, object: JsonObject): Promise<boolean> {
    const { stored, version, webhook } = this.parts;
    const isCurrent = versionIn(bytes) === this.apiVersionOf(stored);
    if (!isCurrent || stored === version) return false;
    return webhook !== undefined || (await encoded(this.asStored(object))).equals(bytes);
  }

  private asStored(object: JsonObject): JsonObject {
    return { ...object, apiVersion: this.apiVersionOf(this.parts.stored) };
  }

  private apiVersionOf({ name }: CustomVersion): string {
    return apiVersionOf({ group: this.parts.group, version: name });
  }
}

/** All conversions share it: of several large objects, one is worked on in a turn. */
const converting = new SharedSlice();

function breathe(): MaybePromise<void> {
  return converting.shouldYield() ? converting.yieldNow() : undefined;
}

function encoded(object: JsonObject): MaybePromise<Buffer> {
  return isSmall(object, smallMembers)
    ? encodeStored(object)
    : resultOf(encodeStoredInSteps(object), breathe);
}

function renamed(object: JsonObject, apiVersion: string): JsonObject {
  object['apiVersion'] = apiVersion;
  return object;
}

const opening = '"apiVersion":';

/** The version in stored text, which `encodeStored` wrote. */
function versionIn(bytes: Buffer): string {
  const head = bytes.toString('utf8', 0, 1_024);
  const at = head.indexOf(opening) + opening.length;
  return JSON.parse(head.slice(at, head.indexOf('"', at + 1) + 1)) as string;
}
