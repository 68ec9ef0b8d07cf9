/**
 * The file of `--authorization-policy-file`: one Policy per line as JSON; empty lines and those that begin with # are
 * skipped. A line without apiVersion is of version v0, whose fields are not in a `spec` and stand for more when they are
 * absent (pkg/apis/abac/v0 of the reference). A line with an unknown field is an error: a misspelt `readonly` would allow
 * writes, and a `spec` in a line of v0 everything to everybody.
 */
import { FileError } from '../../base/file-error.ts';
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { groupAuthenticated } from '../../meta/user.ts';
import type { AbacPolicy } from './abac-authorizer.ts';

/** Errors that are reported of one file. */
const maxErrors = 50;
const texts = ['user', 'group', 'apiGroup', 'resource', 'namespace', 'nonResourcePath'] as const;
const unversionedTexts = ['user', 'group', 'resource', 'namespace'];
const everybody = { user: '', group: groupAuthenticated };

/** @throws FileError with the line of every error */
export function readAbacPolicies(source: string, naming: NamingProfile): AbacPolicy[] {
  const errors: string[] = [];
  const policies: AbacPolicy[] = [];
  for (const [index, line] of source.split('\n').entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const problems: string[] = [];
    policies.push(...readLine(text, naming, problems));
    errors.push(...problems.map((problem) => `line ${String(index + 1)}: ${problem}`));
    if (errors.length >= maxErrors) break;
  }
  if (errors.length > 0) throw new FileError(errors.slice(0, maxErrors));
  return policies;
}

function readLine(text: string, { labelDomain }: NamingProfile, problems: string[]): AbacPolicy[] {
  const value = parse(text);
  if (!isObject(value)) {
    problems.push('not a JSON object');
    return [];
  }
  const group = `abac.authorization.${labelDomain}`;
  const { apiVersion = `${group}/v0`, spec, ...fields } = value;
  if (apiVersion === `${group}/v0`) return [readUnversioned(value, problems)];
  const version = `${group}/v1beta1`;
  assertKnown(fields, ['kind'], problems);
  if (apiVersion !== version) problems.push(`apiVersion must be ${version}`);
  if (value['kind'] !== 'Policy') problems.push('kind must be Policy');
  if (!isObject(spec)) {
    problems.push('spec must be an object');
    return [];
  }
  return [readSpec(spec, problems)];
}

function readUnversioned(value: JsonObject, problems: string[]): AbacPolicy {
  const { apiVersion: _version, kind = 'Policy', ...fields } = value;
  if (kind !== 'Policy') problems.push('kind must be Policy');
  assertKnown(fields, [...unversionedTexts, 'readonly'], problems);
  const { user, group, readonly, resource, namespace } = readFields(fields, '', problems);
  return {
    ...(user === '' && group === '' ? everybody : { user, group }),
    readonly,
    apiGroup: '*',
    resource: resource === '' ? '*' : resource,
    namespace: namespace === '' ? '*' : namespace,
    nonResourcePath: resource === '' && namespace === '' ? '*' : '',
  };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function readSpec(spec: JsonObject, problems: string[]): AbacPolicy {
  assertKnown(spec, [...texts, 'readonly'], problems);
  return readFields(spec, 'spec.', problems);
}

/** @param path of the object, in messages */
function readFields(spec: JsonObject, path: string, problems: string[]): AbacPolicy {
  const text = (name: (typeof texts)[number]): string => {
    const value = spec[name] ?? '';
    if (typeof value === 'string') return value;
    problems.push(`${path}${name} must be a string`);
    return '';
  };
  const readonly = spec['readonly'] ?? false;
  if (typeof readonly !== 'boolean') problems.push(`${path}readonly must be true or false`);
  const subject = { user: text('user'), group: text('group') };
  const isAnybody = subject.user === '*' || subject.group === '*';
  return {
    ...(isAnybody ? everybody : subject),
    readonly: readonly === true,
    apiGroup: text('apiGroup'),
    resource: text('resource'),
    namespace: text('namespace'),
    nonResourcePath: text('nonResourcePath'),
  };
}

function assertKnown(object: JsonObject, names: readonly string[], problems: string[]): void {
  for (const name of Object.keys(object))
    if (!names.includes(name)) problems.push(`unknown field ${JSON.stringify(name)}`);
}
