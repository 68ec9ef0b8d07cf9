/**
 * What is kept of a definition in memory: everything but its schemas. Thousands of definitions have tens of kilobytes of
 * schema each, which take ten times as much when they are parsed; most are not used for a long time.
 */
import { createHash, hash } from 'node:crypto';
import {
  approvalName,
  type CustomResourceDefinition,
} from '../../api/apiextensions/custom-resource-definitions.ts';
import type { CustomResourceDefinitionVersion as Version } from '../../api/apiextensions/v1.types.ts';
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { resultOf } from '../../base/sliced-work.ts';
import { jsonInSteps } from '../../codec/json-in-steps.ts';
import { decodeStoredInSlices } from '../../codec/stored.ts';
import { asApiObject, type ObjectMeta } from '../../meta/object.ts';
import { decodeEntry } from '../../registry/written-entry.ts';
import type { Entry } from '../../storage/types.ts';

/** The schema of a version, where it can be read again. */
export interface SchemaSource {
  /** Of the version as the definition has it. */
  readonly digest: string;
  /** Characters of the version. */
  readonly weight: number;
  /** Characters that are gone through to read it: those of the whole definition, where that is parsed for it. */
  readonly readWeight: number;
  /** undefined: the version has none. */
  read(): JsonObject | undefined;
  /** The same in slices. Absent: it is at hand. */
  readInSlices?(breathe: Breathe): Promise<JsonObject | undefined>;
}

/** Awaited between two steps. */
type Breathe = () => MaybePromise<void>;

export interface DefinitionHead {
  /** Without schemas, unless it preserves unknown fields. */
  readonly definition: CustomResourceDefinition;
  /** By the name of the version. */
  readonly sources: ReadonlyMap<string, SchemaSource>;
}

const heads = new WeakMap<Entry, DefinitionHead>();
/** What is no definition: to read it again would fail again. */
const unreadable = new WeakSet<Entry>();
/** Definitions of several versions as they were parsed last, until memory is collected: all are read of one parsed text. */
const parsed = new WeakMap<Entry, WeakRef<CustomResourceDefinition>>();

/** The head of a definition; read once per revision, immutable. @throws DecodeError */
export function headOf(entry: Entry): DefinitionHead {
  return heads.get(entry) ?? readAtOnce(entry);
}

function readAtOnce(entry: Entry): DefinitionHead {
  try {
    return keep(entry, asDefinition(decodeEntry(entry)));
  } catch (error) {
    unreadable.add(entry);
    throw error;
  }
}

/** Reads the head in one step, if it can be read. */
export function readNow(entry: Entry): void {
  try {
    headOf(entry);
  } catch {
    // It is recorded as unreadable; whoever uses it gets the reason.
  }
}

/** Whether `headOf` takes a moment. */
export function isRead(entry: Entry): boolean {
  return heads.has(entry) || unreadable.has(entry);
}

/** Reads the head of a large definition in slices, if it can be read. */
export async function readHead(entry: Entry, breathe: Breathe): Promise<void> {
  if (isRead(entry)) return;
  try {
    const definition = await readWhole(entry, breathe);
    definition.metadata.resourceVersion = String(entry.modRevision);
    await breathe();
    heads.set(entry, await headInSteps(entry, definition, breathe));
  } catch {
    unreadable.add(entry);
  }
}

async function readWhole({ bytes }: Entry, breathe: Breathe): Promise<CustomResourceDefinition> {
  return asDefinition(await decodeStoredInSlices(bytes, breathe));
}

function parsedOf(entry: Entry): CustomResourceDefinition {
  return parsed.get(entry)?.deref() ?? noteParsed(entry, asDefinition(decodeEntry(entry)));
}

async function parsedInSlices(entry: Entry, breathe: Breathe): Promise<CustomResourceDefinition> {
  return parsed.get(entry)?.deref() ?? noteParsed(entry, await readWhole(entry, breathe));
}

function noteParsed(entry: Entry, definition: CustomResourceDefinition): CustomResourceDefinition {
  if (versionsOf(definition).length > 1) parsed.set(entry, new WeakRef(definition));
  return definition;
}

/** The same for a definition that is not stored. */
export function headOfWhole(definition: CustomResourceDefinition): DefinitionHead {
  return split(definition, (name, { weight }) => ({
    readWeight: weight,
    read: () => schemaOf(definition, name),
  }));
}

function keep(entry: Entry, whole: CustomResourceDefinition): DefinitionHead {
  const head = split(whole, readerIn(entry));
  heads.set(entry, head);
  return head;
}

type ReaderOf = (version: string, sign: Sign) => Omit<SchemaSource, keyof Sign>;

function readerIn(entry: Entry): ReaderOf {
  return (name) => ({
    readWeight: entry.bytes.length,
    read: () => schemaOf(parsedOf(entry), name),
    readInSlices: async (breathe) => schemaOf(await parsedInSlices(entry, breathe), name),
  });
}

function split(whole: CustomResourceDefinition, readerOf: ReaderOf): DefinitionHead {
  const sources = versionsOf(whole).map((version): [string, SchemaSource] => {
    const name = version.name ?? '';
    const sign = signOf(version);
    return [name, { ...sign, ...readerOf(name, sign) }];
  });
  return headWith(whole, new Map(sources));
}

/** The same of a definition that may be large: to write a version of 3 MB takes 40 ms. */
async function headInSteps(
  entry: Entry,
  whole: CustomResourceDefinition,
  breathe: Breathe,
): Promise<DefinitionHead> {
  const sources = new Map<string, SchemaSource>();
  const readerOf = readerIn(entry);
  for (const version of versionsOf(whole)) {
    const name = version.name ?? '';
    const sign = entry.bytes.length > mostAtOnce ? await signInSteps(version, breathe) : signOf(version);
    sources.set(name, { ...sign, ...readerOf(name, sign) });
  }
  return headWith(whole, sources);
}

type Sign = Pick<SchemaSource, 'digest' | 'weight'>;

/** Bytes of a definition that is written in half a millisecond. */
const mostAtOnce = 32 * 1024;

function signOf(version: Version): Sign {
  const text = JSON.stringify(version);
  return { digest: hash('sha256', text, 'base64'), weight: text.length };
}

/** As `signOf`. */
function signInSteps(version: Version, breathe: Breathe): Promise<Sign> {
  return resultOf(signSteps(version), breathe);
}

function* signSteps(version: Version): Generator<void, Sign, void> {
  const digest = createHash('sha256');
  let weight = 0;
  for (const piece of jsonInSteps(version as unknown as JsonObject)) {
    digest.update(piece);
    weight += piece.length;
    yield;
  }
  return { digest: digest.digest('base64'), weight };
}

function versionsOf({ spec }: CustomResourceDefinition): Version[] {
  return spec?.versions ?? [];
}

function headWith(
  whole: CustomResourceDefinition,
  sources: ReadonlyMap<string, SchemaSource>,
): DefinitionHead {
  const versions = versionsOf(whole);
  // The status of one that preserves unknown fields says what is wrong with its schemas.
  const isFree = whole.spec?.preserveUnknownFields === true;
  const spec = { ...whole.spec, versions: isFree ? versions : versions.map(withoutSchema) };
  const metadata = withoutNotes(whole.metadata);
  return { definition: { ...whole, metadata, spec }, sources };
}

/**
 * Of annotations the approval alone is judged. Who owns which fields is half of a head, and a client that applies leaves
 * the whole definition in an annotation.
 */
function withoutNotes(metadata: ObjectMeta): ObjectMeta {
  const { managedFields: _owners, labels: _labels, annotations, ...kept } = metadata;
  const judged = Object.entries(annotations ?? {}).filter(([name]) => name.startsWith(`${approvalName}.`));
  return judged.length === 0 ? kept : { ...kept, annotations: Object.fromEntries(judged) };
}

function withoutSchema(version: Version): Version {
  return { ...version, schema: {} };
}

function schemaOf({ spec }: CustomResourceDefinition, name: string): JsonObject | undefined {
  const version = spec?.versions?.find((one) => one.name === name);
  return version?.schema?.openAPIV3Schema as JsonObject | undefined;
}

function asDefinition(object: JsonObject): CustomResourceDefinition {
  return asApiObject(object);
}
