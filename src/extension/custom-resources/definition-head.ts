/**
 * What is kept of a definition in memory: everything but its schemas. Thousands of definitions have tens of kilobytes of
 * schema each, which take ten times as much when they are parsed; most are not used for a long time.
 */
import { hash } from 'node:crypto';
import {
  approvalName,
  type CustomResourceDefinition,
} from '../../api/apiextensions/custom-resource-definitions.ts';
import type { CustomResourceDefinitionVersion as Version } from '../../api/apiextensions/v1.types.ts';
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
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
    keep(entry, definition);
  } catch {
    unreadable.add(entry);
  }
}

async function readWhole({ bytes }: Entry, breathe: Breathe): Promise<CustomResourceDefinition> {
  return asDefinition(await decodeStoredInSlices(bytes, breathe));
}

/** The same for a definition that is not stored. */
export function headOfWhole(definition: CustomResourceDefinition): DefinitionHead {
  return split(definition, (name) => ({ read: () => schemaOf(definition, name) }));
}

function keep(entry: Entry, whole: CustomResourceDefinition): DefinitionHead {
  const head = split(whole, (name) => ({
    read: () => schemaOf(asDefinition(decodeEntry(entry)), name),
    readInSlices: async (breathe) => schemaOf(await readWhole(entry, breathe), name),
  }));
  heads.set(entry, head);
  return head;
}

function split(
  whole: CustomResourceDefinition,
  readerOf: (version: string) => Pick<SchemaSource, 'read' | 'readInSlices'>,
): DefinitionHead {
  const versions = whole.spec?.versions ?? [];
  const sources = versions.map((version): [string, SchemaSource] => {
    const name = version.name ?? '';
    const text = JSON.stringify(version);
    const source = { digest: hash('sha256', text, 'base64'), weight: text.length, ...readerOf(name) };
    return [name, source];
  });
  // The status of one that preserves unknown fields says what is wrong with its schemas.
  const isFree = whole.spec?.preserveUnknownFields === true;
  const spec = { ...whole.spec, versions: isFree ? versions : versions.map(withoutSchema) };
  const metadata = withoutNotes(whole.metadata);
  return { definition: { ...whole, metadata, spec }, sources: new Map(sources) };
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
