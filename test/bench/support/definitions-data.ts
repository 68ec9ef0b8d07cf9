/** CustomResourceDefinitions of the size that projects have: some 45 KB, most of it words about fields. */

export interface DefinedKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** The definition. */
  readonly body: object;
}

/** Definitions in a group. */
const inGroup = 25;

const words =
  'the name of a resource that its controller uses to find pods and to keep them as they were asked for by users who want more than one in each zone once it is ready'.split(
    ' ',
  );

/** The same words for the same seed. */
function text(seed: number, count: number): string {
  let state = (seed * 2_654_435_761) % 4_294_967_296;
  return Array.from({ length: count }, () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return words[state % words.length];
  }).join(' ');
}

const leaves: Readonly<Record<string, object>> = {
  policy: { type: 'string', enum: ['Always', 'Never', 'IfNotPresent'], default: 'Always' },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  count: { type: 'integer', format: 'int32', minimum: 0 },
  title: { type: 'string', maxLength: 253 },
};

function structure(seed: number, depth: number): object {
  const inner = (i: number): object => structure(seed * 7 + i, depth - 1);
  const nested =
    depth === 0 ? {} : { template: inner(0), target: inner(1), items: { type: 'array', items: inner(2) } };
  const fields = Object.entries({ ...nested, ...leaves }).map(([name, schema], i) => [
    name,
    { description: text(seed * 31 + i, 23), ...schema },
  ]);
  return { type: 'object', properties: Object.fromEntries(fields) as object };
}

/** The definition of this number. */
export function definedKind(number: number): DefinedKind {
  const group = `group${Math.floor(number / inGroup)}.example.com`;
  const [plural, kind] = [`things${number}`, `Thing${number}`];
  return { group, plural, kind, body: bodyOf({ group, plural, kind }, number) };
}

function bodyOf({ group, plural, kind }: Omit<DefinedKind, 'body'>, number: number): object {
  const properties = { spec: structure(number * 1_000, 3), status: structure(number * 1_000 + 500, 1) };
  const column = (name: string): object => ({ name, type: 'string', jsonPath: `.spec.${name}` });
  const version = {
    ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
    additionalPrinterColumns: ['policy', 'title', 'count'].map(column),
    schema: { openAPIV3Schema: { type: 'object', description: text(number, 40), properties } },
  };
  const names = {
    plural,
    kind,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    categories: ['all-things'],
  };
  return {
    apiVersion: 'apiextensions.orch.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: [version] },
  };
}

/** Where objects of a kind are. */
export function pathOf({ group, plural }: DefinedKind): string {
  return `/apis/${group}/v1/namespaces/default/${plural}`;
}

/** An object of a kind. */
export function objectOf({ group, kind }: DefinedKind, title: string): object {
  const spec = { title, count: 1, template: { policy: 'Never' } };
  return { apiVersion: `${group}/v1`, kind, metadata: { name: 'one' }, spec };
}
