/**
 * YAML text → JSON value. The parser's events are turned into values here, so that everything
 * aliases may do (expand, nest, recurse, share) is bounded and counted before it happens.
 */
import { isUtf8 } from 'node:buffer';
import type { Event, ScalarEvent } from 'js-yaml';
import * as yaml from 'js-yaml';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { deepCopy, isObject, setOwn } from '../base/json.ts';
import { shortPath, shortText } from '../base/short-text.ts';
import { DecodeError } from './decode-error.ts';
import { decodeJson } from './decode-json.ts';
import type { DecodeLimits } from './limits.ts';
import { defaultLimits } from './limits.ts';
import { coreTag, resolvePlain, resolveTagged } from './yaml-scalar.ts';

export interface DecodeYamlOptions extends Partial<DecodeLimits> {
  /** Called with the paths of duplicate keys, where the last value counts; absent if they are rejected. */
  readonly onDuplicates?: (paths: readonly string[]) => void;
}

/** Maximum number of reported duplicate keys; paths may be long. */
const maxDuplicates = 100;

/**
 * Decodes one YAML document; JSON text is YAML too. No document at all is null.
 * @throws DecodeError for invalid text, several documents, duplicate keys, unknown tags, keys that are not
 * scalars, and whatever is beyond the limits
 */
export function decodeYaml(bytes: Buffer, options: DecodeYamlOptions = {}): JsonValue {
  const { onDuplicates, ...limits } = options;
  const duplicates: string[] = [];
  const full = { ...defaultLimits, ...limits };
  const value = decodeAsJson(bytes, full, duplicates) ?? decodeSingle(bytes, full, duplicates);
  reportDuplicates(duplicates, onDuplicates);
  return value;
}

/** The same for JSON, which is read far faster; undefined for all other YAML. @throws DecodeError for duplicate keys */
export function decodeYamlThatIsJson(bytes: Buffer, options: DecodeYamlOptions = {}): JsonValue | undefined {
  const { onDuplicates, ...limits } = options;
  const duplicates: string[] = [];
  const value = decodeAsJson(bytes, { ...defaultLimits, ...limits }, duplicates);
  if (value !== undefined) reportDuplicates(duplicates, onDuplicates);
  return value;
}

/** @throws DecodeError for duplicate keys without a listener */
export function reportDuplicates(
  duplicates: readonly string[],
  onDuplicates: DecodeYamlOptions['onDuplicates'],
): void {
  const [first] = duplicates;
  if (first === undefined) return;
  if (!onDuplicates) throw new DecodeError(`invalid YAML: duplicate key ${JSON.stringify(first)}`);
  onDuplicates(duplicates);
}

/** Decodes a stream of YAML documents; empty ones are null. @throws DecodeError as `decodeYaml` does */
export function decodeYamlDocuments(bytes: Buffer, limits: DecodeLimits = defaultLimits): JsonValue[] {
  const duplicates: string[] = [];
  const documents = decodeDocuments(bytes, limits, duplicates);
  const [first] = duplicates;
  if (first === undefined) return documents;
  throw new DecodeError(`invalid YAML: duplicate key ${JSON.stringify(first)}`);
}

function decodeDocuments(bytes: Buffer, limits: DecodeLimits, duplicates: string[]): JsonValue[] {
  if (!isUtf8(bytes)) throw new DecodeError('invalid YAML: not valid UTF-8');
  const source = bytes.toString('utf8');
  return new Constructor(source, limits, duplicates).run(parseEvents(source, limits));
}

function decodeSingle(bytes: Buffer, limits: DecodeLimits, duplicates: string[]): JsonValue {
  const documents = decodeDocuments(bytes, limits, duplicates);
  if (documents.length > 1) throw new DecodeError('invalid YAML: more than one document');
  return documents[0] ?? null;
}

/** Most bodies that come as YAML are JSON; the faster decoder takes those, and leaves all else to the YAML parser. */
function decodeAsJson(bytes: Buffer, limits: DecodeLimits, duplicates: string[]): JsonValue | undefined {
  if (bytes[0] !== 0x7b) return undefined;
  try {
    const decoded = decodeJson(bytes, { ...limits, detectDuplicates: true });
    duplicates.push(...decoded.duplicates);
    return decoded.value;
  } catch {
    return undefined;
  }
}

/** Messages of the parser quote the input, which may be a secret; a single character is harmless. */
function withoutQuotes(reason: string): string {
  return reason.replaceAll(/"[^]*"|<[^]*>|: [^]*$/g, '…');
}

function parseEvents(source: string, limits: DecodeLimits): Event[] {
  try {
    return yaml.parseEvents(source, { maxDepth: limits.maxDepth });
  } catch (error) {
    if (!(error instanceof yaml.YAMLException)) throw error;
    const at = error.mark
      ? ` at line ${String(error.mark.line + 1)}, column ${String(error.mark.column + 1)}`
      : '';
    throw new DecodeError(`invalid YAML: ${withoutQuotes(error.reason)}${at}`, error);
  }
}

/** A complete value with what it would cost to repeat it. */
interface Built {
  readonly value: JsonValue;
  /** One per node, plus the length of its text. */
  readonly weight: number;
  /** Levels of collections. */
  readonly height: number;
}

interface Frame {
  readonly value: JsonObject | JsonValue[];
  readonly anchor: string;
  weight: number;
  height: number;
  /** The key that waits for its value. */
  key: string | undefined;
  keyIsMerge: boolean;
  /** Keys that came by `<<` and give way to explicit ones. */
  readonly merged: Set<string>;
  /** Keys that are known to be repeated: a path takes as long as the nesting is deep. */
  repeated: Set<string> | undefined;
}

class Constructor {
  private readonly source: string;
  private readonly limits: DecodeLimits;
  private readonly duplicates: string[];
  private readonly documents: JsonValue[] = [];
  private readonly frames: Frame[] = [];
  private anchors = new Map<string, Built>();
  private aliasWeight = 0;

  constructor(source: string, limits: DecodeLimits, duplicates: string[]) {
    this.source = source;
    this.limits = limits;
    this.duplicates = duplicates;
  }

  run(events: readonly Event[]): JsonValue[] {
    for (const event of events) this.take(event);
    return this.documents;
  }

  private take(event: Event): void {
    switch (event.type) {
      case yaml.EVENT_ID.DOCUMENT:
        if (event.directives.some((directive) => directive.kind === 'tag')) {
          throw new DecodeError('invalid YAML: tag directives are not supported');
        }
        this.anchors = new Map();
        this.open([], '');
        break;
      case yaml.EVENT_ID.SEQUENCE:
        this.checkTag(this.slice(event.tagStart, event.tagEnd), 'seq');
        this.open([], this.slice(event.anchorStart, event.anchorEnd));
        break;
      case yaml.EVENT_ID.MAPPING:
        this.checkTag(this.slice(event.tagStart, event.tagEnd), 'map');
        this.open({}, this.slice(event.anchorStart, event.anchorEnd));
        break;
      case yaml.EVENT_ID.SCALAR:
        this.scalar(event);
        break;
      case yaml.EVENT_ID.ALIAS:
        this.alias(this.slice(event.anchorStart, event.anchorEnd));
        break;
      case yaml.EVENT_ID.POP:
        this.close();
    }
  }

  private slice(start: number, end: number): string {
    return start < 0 ? '' : this.source.slice(start, end);
  }

  private checkTag(tag: string, expected: string): void {
    if (tag !== '' && tag !== '!' && coreTag(tag) !== expected) {
      throw new DecodeError('invalid YAML: a tag is not supported for its value');
    }
  }

  private open(value: JsonObject | JsonValue[], anchor: string): void {
    this.frames.push({
      value,
      anchor,
      weight: 1,
      height: 1,
      key: undefined,
      keyIsMerge: false,
      merged: new Set(),
      repeated: undefined,
    });
  }

  private close(): void {
    const frame = this.frames.pop();
    if (!frame) return;
    if (this.frames.length === 0) {
      this.documents.push((frame.value as JsonValue[])[0] ?? null);
      return;
    }
    this.complete({ value: frame.value, weight: frame.weight, height: frame.height }, frame.anchor);
  }

  private scalar(event: ScalarEvent): void {
    const text = event.valueStart < 0 ? '' : yaml.getScalarValue(this.source, event);
    const tag = this.slice(event.tagStart, event.tagEnd);
    const isPlain = event.style === yaml.SCALAR_STYLE.PLAIN;
    if (this.awaitsKey() && isMergeKey(text, tag, isPlain)) {
      this.startMerge();
      return;
    }
    const value = tag !== '' ? resolveTagged(tag, text) : isPlain ? resolvePlain(text) : text;
    const anchor = this.slice(event.anchorStart, event.anchorEnd);
    this.complete({ value, weight: 1 + text.length, height: 0 }, anchor);
  }

  private alias(name: string): void {
    const target = this.anchors.get(name);
    if (!target) throw new DecodeError('invalid YAML: an alias has no complete anchor before it');
    this.aliasWeight += target.weight;
    if (this.aliasWeight > Math.max(this.limits.maxAliasWeight, this.source.length)) {
      throw new DecodeError('invalid YAML: aliases expand beyond the limit');
    }
    if (this.frames.length - 1 + target.height > this.limits.maxDepth) {
      throw new DecodeError(`nested deeper than ${String(this.limits.maxDepth)} levels`);
    }
    // A copy, because later steps change objects in place.
    this.complete({ ...target, value: deepCopy(target.value) }, '');
  }

  private complete(built: Built, anchor: string): void {
    if (anchor !== '') this.anchors.set(anchor, built);
    const frame = this.frames.at(-1);
    if (!frame) return;
    frame.weight += built.weight;
    frame.height = Math.max(frame.height, built.height + 1);
    if (Array.isArray(frame.value)) frame.value.push(built.value);
    else if (frame.keyIsMerge) merge(frame, frame.value, built.value);
    else if (frame.key === undefined) frame.key = keyText(built.value);
    else {
      if (isRepeated(frame, frame.value)) this.noteDuplicate(frame);
      addMember(frame, frame.value, built.value);
    }
  }

  private noteDuplicate(frame: Frame): void {
    const { key = '', repeated } = frame;
    if (this.duplicates.length >= maxDuplicates || repeated?.has(key) === true) return;
    frame.repeated = (repeated ?? new Set()).add(key);
    const path = pathOf(this.frames);
    if (!this.duplicates.includes(path)) this.duplicates.push(path);
  }

  private awaitsKey(): boolean {
    const frame = this.frames.at(-1);
    return frame !== undefined && !Array.isArray(frame.value) && frame.key === undefined && !frame.keyIsMerge;
  }

  private startMerge(): void {
    const frame = this.frames.at(-1);
    if (frame) frame.keyIsMerge = true;
  }
}

function isMergeKey(text: string, tag: string, isPlain: boolean): boolean {
  return text === '<<' && (tag === '' ? isPlain : coreTag(tag) === 'merge');
}

/** A key as JSON has it: scalars become their text (`yes: 1` is the key `true`). */
function keyText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (JSON.isRawJSON(value)) return value.rawJSON;
  throw new DecodeError('invalid YAML: a key must be a string, a number or a boolean');
}

/** A key that is there already, and not by `<<`. */
function isRepeated({ key = '', merged }: Frame, target: JsonObject): boolean {
  return Object.hasOwn(target, key) && !merged.has(key);
}

function addMember(frame: Frame, target: JsonObject, value: JsonValue): void {
  const key = frame.key ?? '';
  frame.key = undefined;
  frame.merged.delete(key);
  setOwn(target, key, value);
}

/** The path of the member that is being added, for messages; the outermost frame is the document. */
function pathOf(frames: readonly Frame[]): string {
  let path = '';
  for (const { value, key = '' } of frames.slice(1)) {
    if (Array.isArray(value)) path += `[${String(value.length)}]`;
    else path += `${path === '' ? '' : '.'}${shortText(key)}`;
  }
  return shortPath(path);
}

/** Takes over the members of one or several mappings where the target has none; the first of several wins. */
function merge(frame: Frame, target: JsonObject, value: JsonValue): void {
  frame.keyIsMerge = false;
  for (const source of Array.isArray(value) ? value : [value]) {
    if (!isObject(source)) throw new DecodeError('invalid YAML: << needs a mapping or a list of mappings');
    for (const [key, member] of Object.entries(source)) {
      if (member === undefined || Object.hasOwn(target, key)) continue;
      setOwn(target, key, member);
      frame.merged.add(key);
    }
  }
}
