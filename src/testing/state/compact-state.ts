/**
 * The compact form of a state: all keys of etcd that are objects, or what objects claim, byte by byte. It is text behind
 * gzip, one entry a line, behind a line that says what it is.
 */
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { messageOf } from '../../base/errors.ts';
import type { StateEntry } from './state-entry.ts';
import type { Naming } from '../options.ts';

interface Head {
  readonly format: string;
  readonly version: number;
  readonly naming: Naming;
}

/** A line: key, value as text, or its bytes where they are no text, and milliseconds until it expires. */
type Line = readonly [key: string, value: string | { readonly base64: string }, leftMs?: number];

const format = 'orch-apiserver state';
const version = 1;
const [pack, unpack] = [promisify(gzip), promisify(gunzip)];
/** Speed before size: fixtures are small. */
const level = 1;

/** The bytes of a file. */
export async function encodeCompact(entries: readonly StateEntry[], naming: Naming): Promise<Buffer> {
  const head: Head = { format, version, naming };
  const lines = entries.map(({ key, value, leftMs }) => {
    const line: Line = leftMs === undefined ? [key, textOf(value)] : [key, textOf(value), leftMs];
    return JSON.stringify(line);
  });
  return pack(Buffer.from([JSON.stringify(head), ...lines, ''].join('\n')), { level });
}

/** @throws Error that says what is wrong with the file, such as that it is of another naming */
export async function decodeCompact(bytes: Buffer, naming: Naming): Promise<StateEntry[]> {
  const [first = '', ...lines] = (await unpacked(bytes)).split('\n');
  checkHead(parsed(first), naming);
  return lines.filter((line) => line !== '').map((line) => entryOf(parsed(line)));
}

function textOf(value: string): Line[1] {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : { base64: bytes.toString('base64') };
}

async function unpacked(bytes: Buffer): Promise<string> {
  try {
    return (await unpack(bytes)).toString();
  } catch (error) {
    throw new Error(`it is no state in the compact form: ${messageOf(error)}`, { cause: error });
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    throw new Error(`it is no state in the compact form: ${messageOf(error)}`, { cause: error });
  }
}

function checkHead(head: unknown, naming: Naming): void {
  const given = (head ?? {}) as Partial<Head>;
  if (given.format !== format) throw new Error('it is no state in the compact form');
  if (given.version !== version)
    throw new Error(
      `it has version ${String(given.version)} of the compact form: this package reads ${String(version)}`,
    );
  if (given.naming !== naming)
    throw new Error(
      `its names are those of profile ${String(given.naming)}: start the control plane with \`naming: '${String(given.naming)}'\``,
    );
}

function entryOf(line: unknown): StateEntry {
  const [key, value, leftMs] = Array.isArray(line) ? (line as unknown as Line) : [];
  const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(String(value?.base64), 'base64');
  if (typeof key !== 'string' || value === undefined)
    throw new Error('it has a line that is no entry of a state');
  return { key, value: bytes.toString('latin1'), ...(typeof leftMs === 'number' && { leftMs }) };
}
