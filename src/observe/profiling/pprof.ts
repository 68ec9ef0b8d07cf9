/** Profiles of V8 in the format of pprof: a sample for each stack with a value, functions and texts once each. */
import { Slice } from '../../base/cooperate.ts';
import { encodeProfile, type PprofSample } from './pprof-message.ts';

/** A function on a stack, as V8 describes it. Lines count from 0; -1 for functions of V8 itself. */
export interface CallFrame {
  readonly functionName: string;
  readonly scriptId: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** A node of a tree of calls. */
export interface CallNode {
  readonly frame: CallFrame;
  /** Values of the node itself, one for each type. */
  readonly values: readonly number[];
  readonly children: () => readonly CallNode[];
}

interface ValueType {
  readonly type: string;
  readonly unit: string;
}

export interface ProfileHead {
  readonly types: readonly ValueType[];
  /** The type that is shown unless another one is chosen. */
  readonly defaultType: string;
  /** What is sampled, and how much of it lies between two samples. */
  readonly periodType: ValueType;
  readonly period: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly comment: string;
}

const nanosPerMs = 1_000_000;
const mappingId = 1;

/** The profile, not compressed. Yields to the event loop. */
export async function pprofOf(root: CallNode, head: ProfileHead): Promise<Buffer> {
  const tables = new Tables();
  const sample = await samplesOf(root, tables);
  const valueType = ({ type, unit }: ValueType) => ({ type: tables.text(type), unit: tables.text(unit) });
  return encodeProfile({
    sampleType: head.types.map(valueType),
    sample,
    mapping: [{ id: mappingId, filename: tables.text(process.title), hasFunctions: true }],
    periodType: valueType(head.periodType),
    period: head.period,
    timeNanos: head.startedAt * nanosPerMs,
    durationNanos: Math.round(head.durationMs * nanosPerMs),
    comment: [tables.text(head.comment)],
    defaultSampleType: tables.text(head.defaultType),
    location: tables.locations,
    function: tables.functions,
    stringTable: tables.texts,
  });
}

/** Depth first, without recursion. The root is that of the tree, and no function. */
async function samplesOf(root: CallNode, tables: Tables): Promise<PprofSample[]> {
  const samples: PprofSample[] = [];
  const slice = new Slice();
  const open = root.children().map((node) => ({ node, above: [] as readonly number[] }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, above } = next;
    const stack = [tables.location(node.frame), ...above];
    if (node.values.some((value) => value > 0)) samples.push({ locationId: stack, value: node.values });
    for (const child of node.children()) open.push({ node: child, above: stack });
    await slice.breathe();
  }
  return samples;
}

/** Texts, functions and their locations, each once. */
class Tables {
  /** The first is empty in every profile. */
  readonly texts = [''];
  readonly functions: object[] = [];
  readonly locations: { id: number; mappingId: number; line: readonly object[] }[] = [];
  private readonly textIds = new Map([['', 0]]);
  private readonly locationIds = new Map<string, number>();

  text(text: string): number {
    const known = this.textIds.get(text);
    if (known !== undefined) return known;
    const id = this.texts.push(text) - 1;
    this.textIds.set(text, id);
    return id;
  }

  location(frame: CallFrame): number {
    const { functionName, scriptId, lineNumber, columnNumber } = frame;
    const key = `${scriptId} ${String(lineNumber)} ${String(columnNumber)} ${functionName}`;
    const known = this.locationIds.get(key);
    if (known !== undefined) return known;
    const id = this.locations.length + 1;
    const name = this.text(functionName || '(anonymous)');
    const line = lineNumber + 1;
    this.functions.push({ id, name, systemName: name, filename: this.text(frame.url), startLine: line });
    this.locations.push({ id, mappingId, line: [{ functionId: id, line }] });
    this.locationIds.set(key, id);
    return id;
  }
}
