/** Objects of manifests: YAML with any number of documents, or JSON; `List`s are taken apart. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { messageOf } from '../base/errors.ts';
import { decodeYamlDocuments } from '../codec/yaml.ts';
import type { ApiObject } from './objects.ts';

const extensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/** An object, and where it stands. */
export interface Manifest {
  readonly object: ApiObject;
  /** `crds/shirt.yaml`, or of several `crds/all.yaml, document 2`; absent: in no file. */
  readonly source?: string;
}

/**
 * The objects of a file, or of the files of a folder in the order of their names; there is one at least.
 * @throws Error that names the file with the document, and says what is wrong with it
 */
export async function readManifests(path: string): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const file of await filesOf(path)) manifests.push(...parseManifests(await readFile(file), file));
  if (manifests.length === 0) throw new Error(`${path} has no objects: is it the right one?`);
  return manifests;
}

/** The objects of a text, read as the service reads YAML. @param file named in errors */
function parseManifests(text: Buffer, file: string): Manifest[] {
  const documents = documentsOf(text, file);
  return documents.flatMap((document, index) => {
    if (document === null) return [];
    const source = documents.length === 1 ? file : `${file}, document ${String(index + 1)}`;
    const values = isList(document) ? document.items : [document];
    return values.map((value) => ({ object: checked(value, source), source }));
  });
}

function documentsOf(text: Buffer, file: string): readonly unknown[] {
  try {
    return decodeYamlDocuments(text);
  } catch (error) {
    throw new Error(`${file} is no YAML: ${messageOf(error)}`, { cause: error });
  }
}

function checked(value: unknown, source: string): ApiObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const { apiVersion, kind, metadata } = (isObject ? value : {}) as Partial<ApiObject>;
  const missing = [
    ...(typeof apiVersion === 'string' ? [] : ['apiVersion']),
    ...(typeof kind === 'string' ? [] : ['kind']),
    ...(typeof metadata === 'object' && (metadata as object | null) !== null ? [] : ['metadata']),
  ];
  if (missing.length === 0) return value as ApiObject;
  const found = isObject ? `has no ${missing.join(', no ')}` : 'is no object of YAML';
  throw new Error(
    `${source} ${found}: an object of the API has apiVersion, kind and metadata; leave out other files`,
  );
}

function isList(value: unknown): value is { readonly items: readonly unknown[] } {
  const { kind, items } = value as { readonly kind?: unknown; readonly items?: unknown };
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
}

async function filesOf(path: string): Promise<string[]> {
  const about = await stat(path).catch((error: unknown) => {
    throw new Error(`${path} cannot be read: ${messageOf(error)}: is ${resolve(path)} where it should be?`, {
      cause: error,
    });
  });
  if (!about.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => extensions.has(extname(name)));
  if (names.length === 0)
    throw new Error(`${path} has no manifests: they end in ${[...extensions].join(', ')}`);
  return names.sort().map((name) => join(path, name));
}
