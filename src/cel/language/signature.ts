/** Reads signatures such as `string, list(A) -> optional(A)`. */
import type { CelType } from './types.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  opaque,
  optionalOf,
  stringType,
  timestampType,
  typeOfType,
  uintType,
} from './types.ts';

const simple: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['dyn', dynType],
  ['null', nullType],
  ['bool', boolType],
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['string', stringType],
  ['bytes', bytesType],
  ['timestamp', timestampType],
  ['duration', durationType],
]);

export interface Signature {
  readonly parameters: readonly CelType[];
  readonly result: CelType;
}

/** Words that are no types of the language are types of a library; a capital letter is a type parameter. */
export function readSignature(text: string): Signature {
  const [left = '', right = ''] = text.split('->');
  const parameters = typesIn(left);
  const [result] = typesIn(right);
  if (result === undefined) throw new Error(`no signature: ${text}`);
  return { parameters, result };
}

function typesIn(text: string): CelType[] {
  const words = text.match(/[A-Za-z.]+|[(),]/g) ?? [];
  let place = 0;
  const list = (): CelType[] => {
    const types: CelType[] = [];
    while (place < words.length && words[place] !== ')') {
      types.push(one());
      if (words[place] === ',') place += 1;
    }
    return types;
  };
  const one = (): CelType => {
    const word = words[place] ?? '';
    place += 1;
    if (words[place] !== '(') return named(word, []);
    place += 1;
    const parameters = list();
    place += 1;
    return named(word, parameters);
  };
  return list();
}

function named(word: string, parameters: readonly CelType[]): CelType {
  const [first = dynType, second = dynType] = parameters;
  if (word === 'list') return listOf(first);
  if (word === 'map') return mapOf(first, second);
  if (word === 'type') return typeOfType(first);
  if (word === 'optional') return optionalOf(first);
  if (/^[A-Z]$/.test(word)) return { kind: 'parameter', name: word };
  return simple.get(word) ?? opaque(word, ...parameters);
}
