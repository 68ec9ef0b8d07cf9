/** `fieldPath` of a rule: the field that its error names, such as `.spec.name` or `.labels['app']`. */
import type { FieldPath } from '../../meta/field-path.ts';
import { memberOf, type Structural } from '../../schema/structural/types.ts';

/** Extends the path of a value by a rule's own. */
export type ExtendPath = (path: FieldPath) => FieldPath;

const step = /\.([^.[\]']+)|\['((?:[^'\\]|\\.)*)'\]/y;

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Undefined when the text is no path, or names what the schema does not have. */
export function readRulePath(text: string, node: Structural): ExtendPath | undefined {
  const names = namesInPath(text);
  if (!names) return undefined;
  let current = node;
  let extend: ExtendPath = (path) => path;
  for (const name of names) {
    const property = current.properties.get(name);
    const member = memberOf(current, name);
    if (!member) return undefined;
    const before = extend;
    extend = property ? (path) => before(path).child(name) : (path) => before(path).key(name);
    current = member;
  }
  return extend;
}

/** The names in a path such as `.spec['a.b'].c`, from the outside in; undefined when the text is no path. */
export function namesInPath(text: string): string[] | undefined {
  const names: string[] = [];
  for (let place = 0; place < text.length; place = step.lastIndex) {
    step.lastIndex = place;
    const match = step.exec(text);
    if (!match) return undefined;
    names.push(match[1] ?? unescaped(match[2] ?? ''));
  }
  return names;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_all, character: string) => escapes[character] ?? character);
}
