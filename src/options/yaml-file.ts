/** A configuration file in YAML as its reader sees it: values by their place, and each error with its line. */
import { load, YAMLException } from 'js-yaml';
import { linesOfYaml } from '../audit/yaml-lines.ts';
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** A value and its path, such as `plugins[0].path`. */
export interface Placed<T> {
  readonly value: T;
  readonly path: string;
}

export class YamlFile {
  /** Each as `line N: problem`. */
  readonly errors: string[] = [];
  readonly root: Placed<JsonValue | undefined>;
  private readonly lineOf: (path: string) => number;

  constructor(source: string) {
    try {
      this.root = { value: load(source) as JsonValue | undefined, path: '' };
      this.lineOf = linesOfYaml(source);
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      this.errors.push(`line ${String((error.mark?.line ?? 0) + 1)}: invalid YAML`);
      this.root = { value: undefined, path: '' };
      this.lineOf = () => 1;
    }
  }

  /** @param otherwise the path whose line is reported if `path` is not in the text */
  add(path: string, problem: string, otherwise = path): void {
    const line = Math.max(this.lineOf(path), this.lineOf(otherwise));
    this.errors.push(`line ${String(line)}: ${problem}`);
  }

  /** An object of one of the versions of a kind, with no members but these; undefined: it is none, which is an error. */
  typed(
    { value, path }: Placed<JsonValue | undefined>,
    { kind, versions }: { readonly kind: string; readonly versions: readonly string[] },
    members: readonly string[],
  ): Placed<JsonObject> | undefined {
    if (!isObject(value)) {
      if (this.errors.length === 0) this.add(path, `not an object of kind ${kind}`);
      return undefined;
    }
    const object = { value, path };
    this.known(object, ['apiVersion', 'kind', ...members]);
    if (!versions.some((version) => version === value['apiVersion']))
      this.add(at(path, 'apiVersion'), wrongVersion(kind, versions), path);
    if (value['kind'] !== kind) this.add(at(path, 'kind'), `kind must be ${kind}`, path);
    return object;
  }

  /** A misspelt member would otherwise be ignored. */
  known({ value, path }: Placed<JsonObject>, members: readonly string[]): void {
    for (const name of Object.keys(value))
      if (!members.includes(name)) this.add(at(path, name), `unknown field ${JSON.stringify(name)}`);
  }

  /** The objects of a list; none where there is no such list, which is an error only where it is something else. */
  objects({ value, path }: Placed<JsonObject>, name: string): Placed<JsonObject>[] {
    const list = value[name] ?? [];
    const place = at(path, name);
    if (Array.isArray(list) && list.every(isObject))
      return list.map((item, i) => ({ value: item, path: `${place}[${String(i)}]` }));
    this.add(place, `${name} must be a list of objects`, path);
    return [];
  }

  /** A string; '' if it is missing. */
  text({ value, path }: Placed<JsonObject>, name: string): string {
    const text = value[name] ?? '';
    if (typeof text === 'string') return text;
    this.add(at(path, name), `${name} must be a string`, path);
    return '';
  }

  /** One of the words; undefined: it is none, which is an error. */
  word<T extends string>(
    { value, path }: Placed<JsonObject>,
    name: string,
    words: readonly T[],
  ): T | undefined {
    const word = words.find((known) => known === value[name]);
    if (word === undefined) this.add(at(path, name), `${name} must be one of ${words.join(', ')}`, path);
    return word;
  }

  /** True or false, or the default if it is missing. */
  boolean({ value, path }: Placed<JsonObject>, name: string, otherwise: boolean): boolean {
    const sent = value[name] ?? otherwise;
    if (typeof sent === 'boolean') return sent;
    this.add(at(path, name), `${name} must be true or false`, path);
    return otherwise;
  }

  /** A list of strings; empty if it is missing. */
  texts({ value, path }: Placed<JsonObject>, name: string): string[] {
    const list = value[name] ?? [];
    if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
    this.add(at(path, name), `${name} must be a list of strings`, path);
    return [];
  }

  /** An integer in this range, or the default if it is missing. */
  integer(
    { value, path }: Placed<JsonObject>,
    name: string,
    { least, most, otherwise }: { readonly least: number; readonly most: number; readonly otherwise: number },
  ): number {
    const number = value[name] ?? otherwise;
    if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most)
      return number;
    this.add(at(path, name), `${name} must be an integer from ${String(least)} to ${String(most)}`, path);
    return otherwise;
  }
}

/** The path of a member. */
export function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function wrongVersion(kind: string, versions: readonly string[]): string {
  if (versions.length === 0)
    return `the emulated release knows no ${kind}; choose a later --emulated-release`;
  return `apiVersion must be one of ${versions.join(', ')}`;
}
