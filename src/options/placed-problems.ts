/** Errors of a configuration file that name the field, in the words of field errors of the API. */
import { isObject, type JsonObject } from '../base/json.ts';
import { at, type Placed, type YamlFile } from './yaml-file.ts';

/** Adds an error with the path of a member. */
export function addProblem(file: YamlFile, { path }: Placed<unknown>, name: string, problem: string): void {
  const place = name === '' ? path : at(path, name);
  file.add(place, `${place}: ${problem}`, path);
}

export function addRequired(file: YamlFile, owner: Placed<unknown>, name: string, detail = ''): void {
  addProblem(file, owner, name, `Required value${detail === '' ? '' : `: ${detail}`}`);
}

export function addInvalid(
  file: YamlFile,
  owner: Placed<unknown>,
  name: string,
  { value, detail }: { readonly value: unknown; readonly detail: string },
): void {
  addProblem(file, owner, name, `Invalid value: ${shown(value)}: ${detail}`);
}

const mostShown = 200;

function shown(value: unknown): string {
  const text = value === undefined ? 'null' : JSON.stringify(value);
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}

/** A member that is an object; undefined: it is missing, or something else, which is an error. */
export function objectAt(
  file: YamlFile,
  { value, path }: Placed<JsonObject>,
  name: string,
): Placed<JsonObject> | undefined {
  const member = value[name] ?? null;
  if (member === null) return undefined;
  if (isObject(member)) return { value: member, path: at(path, name) };
  addProblem(file, { value, path }, name, 'must be an object');
  return undefined;
}

/** Whether a member is given with a value that is not empty. */
export function isGiven({ value }: Placed<JsonObject>, name: string): boolean {
  return (value[name] ?? '') !== '';
}

/** Adds an error for each text that came before. @param place the path of a text by its index */
export function addDuplicates(
  file: YamlFile,
  texts: readonly string[],
  place: (index: number) => readonly [owner: Placed<unknown>, name: string],
): void {
  const seen = new Set<string>();
  for (const [index, text] of texts.entries()) {
    const [owner, name] = place(index);
    if (text !== '' && seen.has(text)) addProblem(file, owner, name, `Duplicate value: ${shown(text)}`);
    seen.add(text);
  }
}
