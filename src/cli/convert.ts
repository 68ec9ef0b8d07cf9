/** `convert -f FILE --output-version GROUP/VERSION`: converts manifests to another API version, without a server. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { builtInGroups } from '../api/index.ts';
import { loadCatalogueSchemas } from '../api/schemas.ts';
import { messageOf } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { decodeJsonDocuments } from '../codec/json-documents.ts';
import { defaultLimits } from '../codec/limits.ts';
import { decodeYamlDocuments, encodeYaml } from '../codec/yaml.ts';
import { namingProfiles } from '../meta/naming.ts';
import { createFeatureGates } from '../observe/feature-gates.ts';
import { Converter } from '../registry/conversion/manifest-converter.ts';
import { StartError } from '../base/start-error.ts';
import type { FlagDefinition } from '../options/serve-flags.ts';
import { tellFaults, type CliIo } from './io.ts';
import { commandOf, parseFlags } from './parse-flags.ts';

export const convertFlags: readonly FlagDefinition[] = [
  {
    name: 'filename',
    short: 'f',
    value: 'FILES',
    default: '',
    description: 'Manifest files to convert, YAML or JSON, comma-separated. - reads standard input.',
    repeatable: true,
  },
  {
    name: 'output-version',
    value: 'GROUP/VERSION',
    default: '',
    description: 'API version to convert to. If empty, the newest stable version of each kind.',
  },
  {
    name: 'output',
    short: 'o',
    value: 'FORMAT',
    default: 'yaml',
    description: 'Output format: yaml or json.',
  },
  {
    name: 'naming',
    value: 'PROFILE',
    default: 'orch',
    description: 'Naming profile of the API: orch or kubernetes.',
  },
];

const about =
  'Converts manifests between the API versions of a kind, including versions that are no longer served. Omitted fields get the ' +
  'defaults of the version of the manifest. Several documents become several documents in YAML, or a List in JSON.';

/** @throws StartError for files that cannot be read or converted */
export async function runConvert(
  words: readonly string[],
  io: CliIo,
  input: NodeJS.ReadableStream = process.stdin,
): Promise<number> {
  const command = commandOf('orch-apiserver convert', about, convertFlags);
  if (words.includes('--help') || words.includes('-h')) {
    io.out(command.helpInformation().trimEnd());
    return 0;
  }
  const { texts, faults } = parseFlags(command, convertFlags, words);
  if (faults.length > 0) return tellFaults(io, faults);
  const { filename = '', output = 'yaml', naming = 'orch', 'output-version': target = '' } = texts;
  const files = filename.split(',').filter(Boolean);
  if (files.length === 0) throw wrong('--filename is missing', 'use convert -f FILE');
  if (output !== 'yaml' && output !== 'json')
    throw wrong(`--output is ${JSON.stringify(output)}`, 'use yaml or json');
  const converter = converterOf(naming);
  assertVersion(converter, target);
  const results = [];
  for (const file of files)
    results.push(...convertAll(converter, target, file, await contentOf(file, input)));
  for (const note of results.flatMap(({ notes }) => notes)) io.err(`orch-apiserver: ${note}`);
  io.out(
    textOf(
      results.map(({ object }) => object),
      output,
    ).trimEnd(),
  );
  return results.some(({ converted }) => converted > 0) ? 0 : 1;
}

function wrong(cause: string, remedy: string): StartError {
  return StartError.of('FLAG_VALUE', cause, remedy);
}

function converterOf(name: string): Converter {
  if (name !== 'orch' && name !== 'kubernetes') {
    throw wrong(`--naming is ${JSON.stringify(name)}`, 'use orch or kubernetes');
  }
  const naming = namingProfiles[name];
  const gates = createFeatureGates();
  const sources = { naming, groups: builtInGroups, schemas: loadCatalogueSchemas(naming) };
  return new Converter({ ...sources, isFeatureEnabled: (gate) => gates.isEnabled(gate) });
}

function assertVersion(converter: Converter, target: string): void {
  const known = converter.apiVersions();
  if (target === '' || known.includes(target)) return;
  throw wrong(`--output-version is ${JSON.stringify(target)}`, `use one of ${known.join(', ')}`);
}

async function contentOf(file: string, input: NodeJS.ReadableStream): Promise<Buffer> {
  try {
    return file === '-' ? await buffer(input) : await readFile(file);
  } catch (error) {
    throw StartError.of('FILE_UNREADABLE', `${file}: ${messageOf(error)}`, 'use a readable file', error);
  }
}

/** @throws StartError that names the file */
function convertAll(
  converter: Converter,
  target: string,
  file: string,
  content: Buffer,
): ReturnType<Converter['convert']>[] {
  try {
    const documents = documentsIn(content).filter((document) => document !== null);
    if (documents.length === 0) throw new Error('the file contains no object');
    return documents.map((document) => {
      if (!isObject(document)) throw new Error('a document of the file is not an object');
      return converter.convert(document, target);
    });
  } catch (error) {
    const place = file === '-' ? 'standard input' : file;
    throw StartError.of('MANIFEST_INVALID', `${place}: ${messageOf(error)}`, 'fix the manifest', error);
  }
}

/** Text that begins like JSON may hold several JSON objects in sequence; anything else is YAML. */
function documentsIn(content: Buffer): JsonValue[] {
  const isJson = content.subarray(0, 64).toString().trimStart().startsWith('{');
  if (!isJson) return decodeYamlDocuments(content, defaultLimits);
  try {
    return decodeJsonDocuments(content);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return decodeYamlDocuments(content, defaultLimits);
  }
}

function textOf(objects: readonly JsonObject[], output: 'yaml' | 'json'): string {
  if (output === 'yaml') return objects.map((object) => encodeYaml(object)).join('---\n');
  const [only, ...more] = objects;
  const list: JsonObject = { apiVersion: 'v1', kind: 'List', metadata: {}, items: [...objects] };
  return JSON.stringify(more.length === 0 ? only : list, null, 2);
}
