/** Definitions of custom resources in files. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { loadAll } from 'js-yaml';

import { isObject, type JsonValue } from '../../../src/base/json.ts';
import type { ApiObject } from '../../support/client.ts';

/** All definitions in a file, or in the files of a folder. */
export async function definitionsIn(path: string): Promise<ApiObject[]> {
  if (!(await stat(path)).isDirectory()) return inText(await readFile(path, 'utf8'));
  const names = (await readdir(path)).filter((name) => /\.ya?ml$/.test(name)).sort();
  const all = await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')));
  return all.flatMap(inText);
}

function inText(text: string): ApiObject[] {
  const documents = loadAll(text) as JsonValue[];
  return documents.filter(isDefinition) as unknown as ApiObject[];
}

function isDefinition(value: JsonValue): boolean {
  return isObject(value) && value['kind'] === 'CustomResourceDefinition';
}
