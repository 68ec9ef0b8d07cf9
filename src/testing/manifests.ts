/** Objects of manifests: YAML with any number of documents, or JSON; `List`s are taken apart. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import { decodeYamlDocuments } from '../codec/yaml.ts';
import type { ApiObject } from './objects.ts';

const extensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

/**
 * The objects of a file, or of the files of a folder in the order of their names.
 * @throws Error that names the file and says what is wrong with it
 */
export async function readManifests(path: string): Promise<ApiObject[]> {
  const objects: ApiObject[] = [];
  for (const file of await filesOf(path)) objects.push(...parseManifests(await readFile(file), file));
  return objects;
}

/** The objects of a text, read as the service reads YAML. @param source named in errors */
function parseManifests(text: Buffer, source: string): ApiObject[] {
  let documents: unknown[];
  try {
    documents = decodeYamlDocuments(text);
  } catch (error) {
    throw new Error(`${source} is no YAML: ${messageOf(error)}`, { cause: error });
  }
  return documents
    .filter((document) => document !== null)
    .flatMap((document) => {
      if (isList(document)) return document.items.map((item) => checked(item, source));
      return [checked(document, source)];
    });
}

function checked(value: unknown, source: string): ApiObject {
  const { apiVersion, kind, metadata } = (value ?? {}) as Partial<ApiObject>;
  if (typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata === 'object')
    return value as ApiObject;
  throw new Error(
    `${source} has a document without apiVersion, kind or metadata: it is no object of the API`,
  );
}

function isList(value: unknown): value is { readonly items: readonly unknown[] } {
  const { kind, items } = value as { readonly kind?: unknown; readonly items?: unknown };
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
}

async function filesOf(path: string): Promise<string[]> {
  const about = await stat(path).catch((error: unknown) => {
    throw new Error(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  if (!about.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => extensions.has(extname(name)));
  if (names.length === 0)
    throw new Error(`${path} has no manifests: they end in ${[...extensions].join(', ')}`);
  return names.sort().map((name) => join(path, name));
}
