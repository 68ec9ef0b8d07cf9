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
import { encodeYaml } from '../codec/encode-yaml.ts';
import { decodeYamlDocuments } from '../codec/yaml.ts';
import { typeFirst } from '../codec/yaml-order.ts';
import { namingProfiles } from '../meta/naming.ts';
import { createFeatureGates } from '../observe/feature-gates.ts';
import { featuresOf } from '../observe/release-gates.ts';
import { Converter } from '../registry/conversion/manifest-converter.ts';
import { StartError } from '../base/start-error.ts';
import { convertConfig, convertFlags, type ConvertConfig } from '../options/commands/convert-options.ts';
import { runCommand } from './command.ts';
import { printResult, type CliIo } from './io.ts';

const about =
  'Converts manifests between the API versions of a kind, including versions that are no longer served. Omitted fields get the ' +
  'defaults of the version of the manifest. Several documents become several documents in YAML, or a List in JSON.';

/** @throws StartError for files that cannot be read or converted */
export function runConvert(
  words: readonly string[],
  io: CliIo,
  input: NodeJS.ReadableStream = process.stdin,
): Promise<number> {
  return runCommand(words, io, {
    name: 'orch-apiserver convert',
    about,
    flags: convertFlags,
    read: (texts) => convertConfig(texts, (api) => converterOf(api).apiVersions()),
    run: (config) => convertFiles(config, io, input),
  });
}

async function convertFiles(
  { files, outputVersion, output, ...api }: ConvertConfig,
  io: CliIo,
  input: NodeJS.ReadableStream,
): Promise<number> {
  const converter = converterOf(api);
  const results = [];
  for (const file of files)
    results.push(...convertAll(converter, outputVersion, file, await contentOf(file, input)));
  for (const note of results.flatMap(({ notes }) => notes)) io.err(`orch-apiserver: ${note}`);
  const objects = results.map(({ object }) => object);
  const printed = await printResult(io, textOf(objects, output).trimEnd());
  return results.some(({ converted }) => converted > 0) ? printed : 1;
}

function converterOf({
  naming: profile,
  emulatedRelease,
}: Pick<ConvertConfig, 'naming' | 'emulatedRelease'>): Converter {
  const naming = namingProfiles[profile];
  const gates = createFeatureGates({}, featuresOf(emulatedRelease));
  const schemas = loadCatalogueSchemas(naming, emulatedRelease.minor);
  const sources = { naming, groups: builtInGroups, schemas };
  return new Converter({ ...sources, isFeatureEnabled: (gate) => gates.isEnabled(gate) });
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
  if (output === 'yaml') return objects.map((object) => encodeYaml(typeFirst(object))).join('---\n');
  const [only, ...more] = objects;
  const list: JsonObject = { apiVersion: 'v1', kind: 'List', metadata: {}, items: [...objects] };
  return JSON.stringify(more.length === 0 ? only : list, null, 2);
}
